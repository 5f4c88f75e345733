// The small alpha-beta search as a method of the states whose games have Pieces.
#pragma once

#include "bindings/state.hpp"
#include "search/material_search.hpp"

namespace sparring::bindings {

template <GamePosition P>
void bind_alphabeta(nb::class_<State<P>>& state) {
    state.def(
        "alphabeta",
        [](const State<P>& s, std::uint64_t nodes, int margin) {
            std::vector<search::ScoredMove> scores;
            {
                nb::gil_scoped_release release;
                MoveList list;
                s.legal_moves(list);
                scores = search::material_search(s.position(), list, nodes, margin);
            }
            nb::list result;
            for (const auto& [move, score] : scores)
                result.append(nb::make_tuple(static_cast<int>(move), score));
            return result;
        },
        nb::arg("nodes"), nb::arg("margin"),
        nb::sig("def alphabeta(self, nodes: int, margin: int) -> list[tuple[int, int]]"),
        "The legal moves and their scores, best first, by a search of about `nodes` positions. Scores are "
        "hundredths of a pawn or token for the side to move, exact for moves within `margin` of the best.");
}

}  // namespace sparring::bindings
