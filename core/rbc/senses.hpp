// What each sense would tell about a set of possible boards.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rbc/board_set.hpp"

namespace sparring::rbc {

/// The parts into which a sense divides a set, were each board equally likely.
struct SenseValue {
    double expected_size = 0;   // boards that remain on average
    double entropy = 0;         // bits that the answer tells
    std::uint32_t parts = 0;    // different answers
    std::uint32_t largest = 0;  // boards of the commonest answer
};

/// The value of all 64 senses, in one pass over the boards.
std::array<SenseValue, 64> sense_values(const BoardSet& boards, unsigned threads);

/// The senses worth choosing among. Another one shows everything that a sense left out here shows of the
/// squares on which the boards differ; so it goes for all that reach over the edge. None where all boards
/// look alike.
std::vector<Square> undominated_senses(const BoardSet& boards);

/// For each board the number of its part, parts numbered as they first come up.
std::vector<std::uint32_t> partition(const BoardSet& boards, Square centre);

}  // namespace sparring::rbc
