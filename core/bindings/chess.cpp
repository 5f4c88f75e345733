#include "bindings/material_search.hpp"
#include "bindings/puct_tree.hpp"
#include "bindings/samples.hpp"
#include "bindings/state.hpp"
#include "bindings/symmetry.hpp"
#include "chess/encoding.hpp"
#include "chess/evaluation.hpp"
#include "chess/position.hpp"

namespace sparring::bindings {

void bind_lc0(nb::module_& m);    // lc0.cpp
void bind_maia3(nb::module_& m);  // maia3.cpp

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
    bind_symmetry(state);
    bind_puct_tree(m, state, "ChessTree");
    bind_samples<Position>(m, "ChessSamples");
    bind_lc0(m);
    bind_maia3(m);
}

}  // namespace sparring::bindings
