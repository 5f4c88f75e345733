// The value of each sense for a set of possible boards.
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

}  // namespace sparring::rbc
