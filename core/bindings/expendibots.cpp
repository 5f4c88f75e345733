#include <nanobind/stl/shared_ptr.h>

#include "bindings/alphabeta.hpp"
#include "bindings/puct_tree.hpp"
#include "bindings/samples.hpp"
#include "bindings/state.hpp"
#include "bindings/symmetry.hpp"
#include "expendibots/encoding.hpp"
#include "expendibots/evaluator.hpp"
#include "expendibots/position.hpp"
#include "expendibots/symmetry.hpp"

namespace sparring::bindings {

namespace {

using expendibots::Position;
using S = State<Position>;

nb::tuple point(expendibots::Square s) { return nb::make_tuple(expendibots::x_of(s), expendibots::y_of(s)); }

/// The referee's tuple of a move code.
nb::tuple action(int code) {
    const Move move = checked(code);
    if (!expendibots::is_action(move)) throw IllegalMove("no action has the code " + std::to_string(code));
    const auto action = expendibots::decode(move);
    if (action.is_boom()) return nb::make_tuple("BOOM", point(action.from));
    return nb::make_tuple("MOVE", action.tokens, point(action.from), point(action.to));
}

Move transformed(int code, int symmetry) {
    const Move move = checked(code);
    if (!expendibots::is_action(move)) throw IllegalMove("no action has the code " + std::to_string(code));
    return expendibots::transformed_action(move, symmetry);
}
int to_canonical(const S& s, int code) {
    return transformed(code, expendibots::canonical(s.position().board()).symmetry);
}
int from_canonical(const S& s, int code) {
    return transformed(code,
                       expendibots::inverse_symmetry(expendibots::canonical(s.position().board()).symmetry));
}

std::vector<std::vector<int>> heights(const S& s) {
    const auto& board = s.position().board();
    std::vector<std::vector<int>> rows(8, std::vector<int>(8));
    for (expendibots::Square i = 0; i < 64; ++i) {
        const bool black = board.colors[expendibots::black] & expendibots::bit(i);
        rows[expendibots::y_of(i)][expendibots::x_of(i)] = black ? -board.height(i) : board.height(i);
    }
    return rows;
}

}  // namespace

void bind_expendibots_endgames(nb::module_& m);  // expendibots_endgames.cpp
void bind_expendibots_network(nb::module_& m);   // expendibots_network.cpp

void bind_expendibots(nb::module_& m) {
    auto state =
        bind_state<Position>(m, "ExpendibotsState", "An Expendibots position and the line that led to it.");
    state.def_static("initial", [] { return S(Position()); })
        .def_prop_ro(
            "actions", [](const S& s) { return int{s.position().board().actions}; },
            "Actions taken by both sides since the game began.")
        .def_prop_ro("heights", &heights, "The stacks as `heights[y][x]`: White's above zero, Black's below.")
        .def_prop_ro(
            "repetitions", [](const S& s) { return expendibots::visits(s.node()); },
            "How often this position has come up in its line, now included.")
        .def_prop_ro(
            "canonical_key", [](const S& s) { return expendibots::canonical(s.position().board()).key; },
            "The same for all turned and mirrored boards, also with the sides exchanged.")
        .def("to_canonical", &to_canonical, nb::arg("move"),
             "A move as it is on the board that stands for all those with the canonical key.")
        .def("from_canonical", &from_canonical, nb::arg("move"), "What `to_canonical` was given.")
        .def_static("action", &action, nb::arg("move"),
                    nb::sig("def action(move: int) -> tuple[str, tuple[int, int]] | "
                            "tuple[str, int, tuple[int, int], tuple[int, int]]"),
                    "The referee's tuple of a move; raises IllegalMove when there is none.");
    bind_symmetry(state);
    bind_puct_tree(m, state, "ExpendibotsTree");
    bind_samples<Position>(m, "ExpendibotsSamples");
    bind_expendibots_endgames(m);
    bind_expendibots_network(m);
    bind_searcher<Position, expendibots::Evaluator>(m, "ExpendibotsSearch")
        .def(
            "set_endgame_tables",
            [](LockedSearcher<Position, expendibots::Evaluator>& searcher,
               const expendibots::EndgameTables& endgames) {
                auto copy = std::make_shared<const expendibots::EndgameTables>(endgames);
                searcher.update_evaluator([&](expendibots::Evaluator& evaluator) {
                    evaluator.set_endgame_tables(std::move(copy));
                });
            },
            nb::arg("endgames"), "Takes positions that these tables have now for decided.")
        .def(
            "set_network",
            [](LockedSearcher<Position, expendibots::Evaluator>& searcher,
               std::shared_ptr<const expendibots::Network> network) {
                searcher.update_evaluator(
                    [&](expendibots::Evaluator& evaluator) { evaluator.set_network(std::move(network)); });
            },
            nb::arg("network"), "Evaluates with a network instead of the weights.");
}

}  // namespace sparring::bindings
