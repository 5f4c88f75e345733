#include "bindings/games.hpp"
#include "bindings/searcher.hpp"
#include "bindings/state.hpp"
#include "expendibots/judge.hpp"
#include "expendibots/position.hpp"

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
        .def_static("action", &action, nb::arg("move"),
                    nb::sig("def action(move: int) -> tuple[str, tuple[int, int]] | "
                            "tuple[str, int, tuple[int, int], tuple[int, int]]"),
                    "The referee's tuple of a move; raises IllegalMove when there is none.");
    bind_searcher<Position, expendibots::Judge>(m, "ExpendibotsSearch");
}

}  // namespace sparring::bindings
