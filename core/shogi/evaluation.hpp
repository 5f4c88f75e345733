// Material on the board and in hand: what the small search player knows of shogi.
#pragma once

#include "search/material_search.hpp"
#include "shogi/position.hpp"

namespace sparring::search {

template <>
struct MaterialRules<shogi::Position> {
    /// Hundredths of a pawn: pieces, a little more for those in hand, and attackers near a king.
    static int evaluate(const shogi::Position& p);
    /// Whoever cannot move has lost: mated, out of moves, or facing a declaration.
    static int no_moves_score(const shogi::Position&) { return -win_score; }
    /// Captures by the value of the piece, then promotions.
    static int mvv_lva(const shogi::Position& p, Move m);
};

}  // namespace sparring::search
