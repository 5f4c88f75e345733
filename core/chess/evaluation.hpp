// Material and a little placement: what the small search player knows of chess.
#pragma once

#include <array>

#include "chess/position.hpp"
#include "search/material_search.hpp"

namespace sparring::chess {

constexpr std::array<int, 6> piece_values = {100, 320, 330, 500, 900, 0};

/// Hundredths of a pawn for the side to move.
int evaluate(const Board& board);

/// The captured piece first, then the cheaper capturer; promotions count as their piece.
int mvv_lva(const Board& board, Move move);

}  // namespace sparring::chess

namespace sparring::search {

template <>
struct MaterialRules<chess::Position> {
    static int evaluate(const chess::Position& p) { return chess::evaluate(p.board()); }
    static int no_moves_score(const chess::Position& p) { return p.in_check() ? -win_score : 0; }
    static int mvv_lva(const chess::Position& p, Move m) { return chess::mvv_lva(p.board(), m); }
};

}  // namespace sparring::search
