// What a board of reconnaissance blind chess is worth to a side without looking ahead.
#pragma once

#include <array>

#include "chess/board.hpp"

namespace sparring::rbc {

/// In hundredths of a pawn; the king's is for ordering captures only.
constexpr std::array<int, 6> piece_value = {100, 320, 330, 500, 950, 5000};

/// Material, places of pieces, passed pawns, and how near pieces are to the other king: each weighed between
/// middle game and ending by the officers that are left. For the side to move.
int evaluate(const chess::Board& board);

}  // namespace sparring::rbc
