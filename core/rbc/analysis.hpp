// Analysis of a set of possible boards: what the senses show, and forced captures of the king.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rbc/board_set.hpp"

namespace sparring::rbc {

/// The partition of a set by the results of a sense, with all boards equally likely.
struct SenseValue {
    double expected_size = 0;   // expected number of boards afterwards
    double entropy = 0;         // information of the result in bits
    std::uint32_t parts = 0;    // number of different results
    std::uint32_t largest = 0;  // boards with the most common result
};

/// The value of all 64 senses, in one pass over the boards.
std::array<SenseValue, 64> sense_values(const BoardSet& boards, unsigned threads);

/// The undominated senses. A sense is dominated if another shows all of its squares on which the boards
/// differ; senses at the edge always are. Empty if all boards look the same.
std::vector<Square> undominated_senses(const BoardSet& boards);

/// The index of the part of each board; parts are numbered by first occurrence.
std::vector<std::uint32_t> partition(const BoardSet& boards, Square centre);

// Forced wins: requests and senses that certainly lead to the capture of the king.

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
