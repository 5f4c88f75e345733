// Static evaluation of shogi for the material search.
#pragma once

#include "search/material_search.hpp"
#include "shogi/position.hpp"

namespace sparring::search {

template <>
struct MaterialRules<shogi::Position> {
    /// Centipawns: material, slightly more in hand, and pieces near the kings.
    static int evaluate(const shogi::Position& p);
    /// The side to move has lost: by mate, by lack of moves, or by a declaration.
    static int no_moves_score(const shogi::Position&) { return -win_score; }
    /// Captures by the value of the piece, then promotions.
    static int mvv_lva(const shogi::Position& p, Move m);
};

}  // namespace sparring::search
