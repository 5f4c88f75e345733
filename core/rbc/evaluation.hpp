// Static evaluation of reconnaissance blind chess.
#pragma once

#include <array>

#include "chess/board.hpp"

namespace sparring::rbc {

/// In centipawns. The value of the king is for move ordering only.
constexpr std::array<int, 6> piece_value = {100, 320, 330, 500, 950, 5000};

/// Material, piece placement, passed pawns and distance to the opponent's king, interpolated between middle
/// game and ending by the remaining pieces. Centipawns for the side to move.
int evaluate(const chess::Board& board);

}  // namespace sparring::rbc
