// Static analysis: the king is the prize, so whoever can certainly capture it need not think further.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rbc/board_set.hpp"

namespace sparring::rbc {

/// A request and on how many of the boards it captures the king.
struct KingCapture {
    Move request;
    std::uint32_t boards;
};

/// Every request of the player that captures the king on some board, the most promising first. It wins for
/// certain where it does on all boards.
std::vector<KingCapture> king_captures(const BoardSet& boards);

/// For each sense, on how many boards the best request after what it shows captures the king. The sense wins
/// for certain where these are all boards.
std::array<std::uint32_t, 64> wins_after_sense(const BoardSet& boards, unsigned threads);

/// For each square, on how many boards the opponent could capture the player's piece there (en passant
/// included).
std::array<std::uint32_t, 64> threats(const BoardSet& boards);

/// Whether the player, the opponent being to move, captures the king in its next turn whatever happens: after
/// every reply, none of which takes its own king, there is a sense that wins for certain.
bool is_forced_win(const BoardSet& boards, unsigned threads);

}  // namespace sparring::rbc
