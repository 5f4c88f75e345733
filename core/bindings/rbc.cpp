#include "bindings/samples.hpp"
#include "bindings/squares.hpp"
#include "bindings/state.hpp"
#include "bindings/symmetry.hpp"
#include "rbc/board_set.hpp"
#include "rbc/encoding.hpp"
#include "rbc/position.hpp"

namespace sparring::bindings {

namespace {

using rbc::Position;
using S = State<Position>;

std::vector<std::pair<int, Symbol>> sense(const S& state, int centre) {
    std::vector<std::pair<int, Symbol>> result;
    for (const auto& [square, piece] : rbc::sense_result(state.position().board(), checked_square(centre)))
        result.emplace_back(square, symbol(piece));
    return result;
}

/// The move that a request becomes (a pass if it cannot be made), and the square of its capture.
std::pair<int, std::optional<int>> result_of(const S& state, int request) {
    const auto& board = state.position().board();
    MoveList list;
    rbc::requests(board, list);
    if (request != rbc::pass && !list.contains(checked(request))) {
        throw IllegalMove(state.position().move_text(checked(request)) + " cannot be asked for in " +
                          state.position().text());
    }
    const Move taken = rbc::taken(board, checked(request));
    return {taken, rbc::capture_square(board, taken)};
}

}  // namespace

void bind_rbc_board_set(nb::module_& m);  // rbc_board_set.cpp
void bind_rbc_planner(nb::module_& m);    // rbc_planner.cpp
void bind_rbc_infostate(nb::module_& m);  // rbc_infostate.cpp

void bind_rbc(nb::module_& m) {
    auto state = bind_state<Position>(
        m, "RbcState",
        "The true position of a reconnaissance blind chess game and the line of play before it.");
    state.def_static(
             "initial", [] { return S(Position()); }, "The initial position, White to sense.")
        .def_prop_ro(
            "sensing", [](const S& s) { return s.position().sensing(); },
            "Whether the player to move is to sense; else it is to move a piece.")
        .def("sense", &sense, nb::arg("square"),
             "The result of a sense: (square, piece) pairs in the order of reconchess.\n\n`square` is the "
             "centre of the window, 0 (a1) to 63 (h8); a piece is a FEN letter or None. Raises ValueError.")
        .def("result_of", &result_of, nb::arg("request"),
             "The move that a request becomes, a pass if it cannot be made, and the square of its capture or "
             "None.\n\nRaises IllegalMove if the request is not one that the player may make.");
    bind_symmetry(state);
    bind_samples<Position>(m, "RbcSamples");
    bind_rbc_board_set(m);
    bind_rbc_planner(m);
    bind_rbc_infostate(m);
}

}  // namespace sparring::bindings
