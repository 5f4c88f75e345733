// The material alpha-beta search as a method of the states of games with MaterialRules.
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
                scores = search::material_search(s.node(), list, nodes, margin);
            }
            nb::list result;
            for (const auto& [move, score] : scores)
                result.append(nb::make_tuple(static_cast<int>(move), score));
            return result;
        },
        nb::arg("nodes"), nb::arg("margin"),
        nb::sig("def alphabeta(self, nodes: int, margin: int) -> list[tuple[int, int]]"),
        "The legal moves with their scores, best first, by an alpha-beta search "
        "with a material evaluation.\n\n"
        "`nodes` is about the number of positions searched. Scores are centipawns for the side to move; they "
        "are exact within `margin` centipawns of the best, and upper bounds otherwise. "
        "Empty if the game is over.");
}

}  // namespace sparring::bindings
