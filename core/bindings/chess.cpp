#include "bindings/games.hpp"
#include "bindings/material_search.hpp"
#include "bindings/state.hpp"
#include "chess/evaluation.hpp"
#include "chess/position.hpp"

namespace sparring::bindings {

void bind_chess(nb::module_& m) {
    using chess::Position;
    using S = State<Position>;
    auto state = bind_state<Position>(m, "ChessState", "A chess position and the line that led to it.");
    state.def_static("initial", [] { return S(Position()); })
        .def_prop_ro("in_check", [](const S& s) { return s.position().in_check(); })
        .def_prop_ro(
            "halfmove_clock", [](const S& s) { return s.position().board().halfmove_clock; },
            "Plies since the last capture or pawn move.")
        .def_prop_ro(
            "repetitions",
            [](const S& s) { return occurrences(s.node(), s.position().board().halfmove_clock); },
            "How often this position has come up in its line, now included.")
        .def_prop_ro(
            "claimable_draw",
            [](const S& s) -> nb::object {
                const auto outcome = Position::claimable_draw(s.node());
                return outcome.over() ? nb::cast(outcome) : nb::none();
            },
            nb::sig("def claimable_draw(self) -> Outcome | None"),
            "The draw that the player to move may claim: 50 moves or the third repetition.");
    bind_alphabeta(state);
}

}  // namespace sparring::bindings
