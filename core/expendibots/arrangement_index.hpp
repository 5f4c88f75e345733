// Indices of the arrangements of a few tokens of one side, and their symmetries.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "expendibots/board.hpp"
#include "expendibots/symmetry.hpp"

namespace sparring::expendibots {

/// The largest number of tokens with an index.
constexpr int max_arranged = 4;

/// The squares of the tokens in ascending order; tokens of a stack have the same square.
struct TokenSquares {
    std::array<std::int8_t, max_arranged> squares{};
    int count = 0;

    static TokenSquares of(const Board& board, Color side);
    TokenSquares transformed(int symmetry) const;
};

/// The index of an arrangement among those with the same number of tokens: 64 with one token, 2,080 with two,
/// 45,760 with three, 766,480 with four.
std::uint32_t rank(const TokenSquares& tokens);
TokenSquares unrank(int count, std::uint32_t rank);
std::uint32_t arrangement_count(int tokens);

/// Orbits of arrangements under the symmetries of the board.
class Orbits {
 public:
    explicit Orbits(int tokens);

    std::uint32_t count() const { return static_cast<std::uint32_t>(representatives_.size()); }
    std::uint32_t orbit(std::uint32_t rank) const { return orbit_of_[rank] >> 3; }
    /// The symmetry that maps an arrangement to the representative of its orbit.
    int symmetry(std::uint32_t rank) const { return static_cast<int>(orbit_of_[rank] & 7); }
    std::uint32_t representative(std::uint32_t orbit) const { return representatives_[orbit]; }
    /// The stabiliser of the representative, as a set of bits.
    std::uint8_t stabiliser(std::uint32_t orbit) const { return stabilisers_[orbit]; }

 private:
    std::vector<std::uint32_t> orbit_of_;  // by rank: orbit and symmetry
    std::vector<std::uint32_t> representatives_;
    std::vector<std::uint8_t> stabilisers_;
};

/// The orbits of 1 to 4 tokens, computed on first use.
const Orbits& orbits_of(int tokens);

}  // namespace sparring::expendibots
