// Forced wins: requests and senses that certainly lead to the capture of the king.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rbc/board_set.hpp"

namespace sparring::rbc {

/// A request and the number of boards on which it captures the king.
struct KingCapture {
    Move request;
    std::uint32_t boards;
};

/// All requests that capture the king on some board, by the number of boards, most first. A request that does
/// on all boards wins.
std::vector<KingCapture> king_captures(const BoardSet& boards);

/// For each sense, the number of boards on which the best request after its result captures the king. A sense
/// with all boards wins.
std::array<std::uint32_t, 64> wins_after_sense(const BoardSet& boards, unsigned threads);

/// For each square, the number of boards on which the opponent can capture the player's piece there, en
/// passant included.
std::array<std::uint32_t, 64> threats(const BoardSet& boards);

/// Whether the player, with the opponent to move, wins in its next turn: no reply captures its own king, and
/// after every reply a sense wins.
bool is_forced_win(const BoardSet& boards, unsigned threads);

}  // namespace sparring::rbc
