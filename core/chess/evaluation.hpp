// Static evaluation of chess for the material search: piece values and placement.
#pragma once

#include <array>

#include "chess/position.hpp"
#include "search/material_search.hpp"

namespace sparring::chess {

constexpr std::array<int, 6> piece_values = {100, 320, 330, 500, 900, 0};

/// Centipawns for the side to move.
int evaluate(const Board& board);

/// Most valuable victim, then least valuable attacker; a promotion counts as a victim of its piece. 0 for a
/// quiet move.
int mvv_lva(const Board& board, Move move);

}  // namespace sparring::chess

namespace sparring::search {

template <>
struct MaterialRules<chess::Position> {
    static int evaluate(const chess::Position& p) { return chess::evaluate(p.board()); }
    static int no_moves_score(const chess::Position& p) { return p.in_check() ? -win_score : 0; }
    static int mvv_lva(const chess::Position& p, Move m) { return chess::mvv_lva(p.board(), m); }
    static bool claims_draws(const chess::Position& p) { return p.claim_draws(); }
    static int reversible_plies(const chess::Position& p) { return p.board().halfmove_clock; }
};

}  // namespace sparring::search
