// The notation of shogi engines: SFEN for positions, USI for moves.
#pragma once

#include <string>
#include <string_view>

#include "shogi/board.hpp"

namespace sparring::shogi {

/// Board, side to move, hands and move number; then `win` where the side that just moved has declared.
std::string sfen(const Board& board);

/// Reads what `sfen` writes; the move number may be missing. Throws ParseError, also for positions that
/// plainly no game can reach: too many pieces, kings missing, two pawns on a file, pieces that
/// could never move, the side that just moved in check, a declaration without the points.
Board parse_sfen(std::string_view text);

/// A move as USI writes it. A code that means no move gives a readable text all the same.
std::string usi(Move m);
/// A move in USI's form; throws ParseError. Whether it is legal is another question.
Move parse_usi(std::string_view text);

}  // namespace sparring::shogi
