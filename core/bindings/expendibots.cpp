#include <nanobind/stl/shared_ptr.h>

#include "bindings/alphabeta.hpp"
#include "bindings/minimax_forest.hpp"
#include "bindings/puct_forest.hpp"
#include "bindings/puct_tree.hpp"
#include "bindings/samples.hpp"
#include "bindings/state.hpp"
#include "bindings/symmetry.hpp"
#include "bindings/value_network.hpp"
#include "expendibots/encoding.hpp"
#include "expendibots/evaluator.hpp"
#include "expendibots/network.hpp"
#include "expendibots/position.hpp"
#include "expendibots/symmetry.hpp"

namespace sparring::bindings {

namespace {

using expendibots::Position;
using S = State<Position>;

nb::tuple point(expendibots::Square s) { return nb::make_tuple(expendibots::x_of(s), expendibots::y_of(s)); }

/// A move as the referee's tuple.
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

void bind_expendibots(nb::module_& m) {
    auto state = bind_state<Position>(m, "ExpendibotsState",
                                      "An Expendibots position and the line of play before it.");
    state.def_static("initial", [] { return S(Position()); })
        .def_prop_ro(
            "actions", [](const S& s) { return int{s.position().board().actions}; },
            "The number of actions of both sides since the start of the game.")
        .def_prop_ro("heights", &heights,
                     "The heights of the stacks as `heights[y][x]`: positive for White, negative for Black, "
                     "0 if empty.")
        .def_prop_ro(
            "repetitions", [](const S& s) { return expendibots::visits(s.node()); },
            "The number of times this position has occurred in the line, this time included.")
        .def_prop_ro(
            "canonical_key", [](const S& s) { return expendibots::canonical(s.position().board()).key; },
            "A key that is the same for all symmetric boards, also with the sides exchanged.")
        .def("to_canonical", &to_canonical, nb::arg("move"),
             "A move transformed to the canonical board of `canonical_key`. Raises IllegalMove.")
        .def("from_canonical", &from_canonical, nb::arg("move"),
             "The inverse of `to_canonical`. Raises IllegalMove.")
        .def_static("action", &action, nb::arg("move"),
                    nb::sig("def action(move: int) -> tuple[str, tuple[int, int]] | tuple[str, int, "
                            "tuple[int, int], tuple[int, int]]"),
                    "A move as the referee's tuple: (\"MOVE\", n, (x, y), (x, y)) or (\"BOOM\", (x, y)). "
                    "Raises IllegalMove.");
    bind_symmetry(state);
    bind_puct_tree(m, state, "ExpendibotsTree");
    bind_states<Position>(m, "ExpendibotsStates");
    bind_puct_forest<Position>(m, "ExpendibotsForest");
    bind_samples<Position>(m, "ExpendibotsSamples");
    bind_expendibots_endgames(m);
    bind_value_network<Position, expendibots::NetworkInputs>(
        m, "ExpendibotsNetwork",
        "A value network with two hidden layers and tanh output. Inputs are the stacks, one-hot, and "
        "measured "
        "features.");
    bind_minimax_forest<Position, expendibots::NetworkInputs>(m, "ExpendibotsMinimaxForest");
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
            nb::arg("endgames"),
            "Uses a copy of these tables: positions that they contain count as decided. Clears the "
            "transposition table.")
        .def(
            "set_network",
            [](LockedSearcher<Position, expendibots::Evaluator>& searcher,
               std::shared_ptr<const expendibots::Network> network) {
                searcher.update_evaluator(
                    [&](expendibots::Evaluator& evaluator) { evaluator.set_network(std::move(network)); });
            },
            nb::arg("network"),
            "Evaluates with a network instead of the weights. Clears the transposition table.")
        .def(
            "set_prune_booms",
            [](LockedSearcher<Position, expendibots::Evaluator>& searcher, bool prune) {
                searcher.update_evaluator(
                    [&](expendibots::Evaluator& evaluator) { evaluator.set_prune_booms(prune); });
            },
            nb::arg("prune"),
            "If true, searches only BOOMs that improve the ratio of tokens; if false, the default, all BOOMs "
            "that remove tokens of both sides. Clears the transposition table.");
}

}  // namespace sparring::bindings
