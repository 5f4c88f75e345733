#include "bindings/material_search.hpp"
#include "bindings/puct_forest.hpp"
#include "bindings/puct_tree.hpp"
#include "bindings/samples.hpp"
#include "bindings/state.hpp"
#include "bindings/symmetry.hpp"
#include "chess/encoding.hpp"
#include "chess/evaluation.hpp"
#include "chess/line_search.hpp"
#include "chess/position.hpp"

namespace sparring::bindings {

void bind_lc0(nb::module_& m);          // lc0.cpp
void bind_maia3(nb::module_& m);        // maia3.cpp
void bind_chess_lines(nb::module_& m);  // chess_lines.cpp

void bind_chess(nb::module_& m) {
    using chess::Position;
    using S = State<Position>;
    auto state = bind_state<Position>(m, "ChessState",
                                      "A chess position and the line of play before it. A move is to-square "
                                      "+ 64 * from-square + 4096 * promotion.");
    state
        .def_static(
            "initial", [](bool claim_draws) { return S(Position(claim_draws)); },
            nb::arg("claim_draws") = false,
            "The initial position. With `claim_draws`, claimable draws (50 moves, "
            "third repetition) end the game.")
        .def_static(
            "parse",
            [](std::string_view fen, bool claim_draws) {
                Position position = Position::parse(fen);
                position.set_claim_draws(claim_draws);
                return S(position);
            },
            nb::arg("text"), nb::arg("claim_draws"),
            "The position of a FEN, with or without `claim_draws`. Raises ParseError.")
        .def_prop_ro(
            "claim_draws", [](const S& s) { return s.position().claim_draws(); },
            "Whether claimable draws (50 moves, third repetition) end the game. `play` keeps this rule, "
            "states that differ in it are unequal, and `text` leaves it out: the text is always FEN.")
        .def_prop_ro(
            "in_check", [](const S& s) { return s.position().in_check(); },
            "Whether the side to move is in check.")
        .def_prop_ro(
            "halfmove_clock", [](const S& s) { return s.position().board().halfmove_clock; },
            "Plies since the last capture or pawn move.")
        .def_prop_ro(
            "repetitions",
            [](const S& s) { return occurrences(s.node(), s.position().board().halfmove_clock); },
            "The number of times this position has occurred in the line, this time included.")
        .def_prop_ro(
            "claimable_draw",
            [](const S& s) -> nb::object {
                const auto outcome = Position::claimable_draw(s.node());
                return outcome.over() ? nb::cast(outcome) : nb::none();
            },
            nb::sig("def claimable_draw(self) -> Outcome | None"),
            "The draw that the player to move may claim, by 50 moves or the third repetition; None if there "
            "is none.");
    state.def(
        "exchange_value",
        [](const S& s, int move) {
            return chess::exchange_value(s.position().board(), static_cast<Move>(move));
        },
        nb::arg("move"),
        "Centipawns that the mover wins by the exchanges on the target square after a move, both sides "
        "taking with the least valuable piece as long as that pays. Pins are not seen.");
    bind_alphabeta(state);
    bind_symmetry(state);
    bind_puct_tree(m, state, "ChessTree");
    bind_states<Position>(m, "ChessStates");
    bind_puct_forest<Position>(m, "ChessForest");
    bind_samples<Position>(m, "ChessSamples");
    bind_lc0(m);
    bind_maia3(m);
    bind_chess_lines(m);
}

}  // namespace sparring::bindings
