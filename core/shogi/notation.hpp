// The notation of shogi engines: SFEN for positions, USI for moves.
#pragma once

#include <string>
#include <string_view>

#include "shogi/board.hpp"

namespace sparring::shogi {

/// SFEN: board, side to move, hands and move number; then `win` if the side that has just moved declared a
/// win.
std::string sfen(const Board& board);

/// Parses SFEN; the move number is optional. Throws ParseError, also for impossible positions: too many
/// pieces, missing kings, two pawns on a file, pieces without moves, the side that has just moved in check, a
/// declaration without enough points.
Board parse_sfen(std::string_view text);

/// The USI text of a move. An invalid code gives a readable text, too.
std::string usi(Move m);
/// Parses a USI move, which need not be legal. Throws ParseError.
Move parse_usi(std::string_view text);

}  // namespace sparring::shogi
