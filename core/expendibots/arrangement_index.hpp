// The ways to put a few tokens of one side on the board, as numbers, and their symmetries.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "expendibots/board.hpp"
#include "expendibots/symmetry.hpp"

namespace sparring::expendibots {

/// The most tokens of a side that arrangements number.
constexpr int max_arranged = 4;

/// The square of each token in ascending order; tokens of one stack share theirs.
struct TokenSquares {
    std::array<std::int8_t, max_arranged> squares{};
    int count = 0;

    static TokenSquares of(const Board& board, Color side);
    TokenSquares transformed(int symmetry) const;
};

/// The number of an arrangement among those of as many tokens: 64 of one token, 2,080 of two, 45,760 of
/// three, 766,480 of four.
std::uint32_t rank(const TokenSquares& tokens);
TokenSquares unrank(int count, std::uint32_t rank);
std::uint32_t arrangement_count(int tokens);

/// Arrangements up to symmetry: which are turned images of one another.
class Orbits {
 public:
    explicit Orbits(int tokens);

    std::uint32_t count() const { return static_cast<std::uint32_t>(representatives_.size()); }
    std::uint32_t orbit(std::uint32_t rank) const { return orbit_of_[rank] >> 3; }
    /// The symmetry that turns an arrangement into its orbit's representative.
    int symmetry(std::uint32_t rank) const { return static_cast<int>(orbit_of_[rank] & 7); }
    std::uint32_t representative(std::uint32_t orbit) const { return representatives_[orbit]; }
    /// The symmetries, as bits, that leave the representative as it is.
    std::uint8_t stabiliser(std::uint32_t orbit) const { return stabilisers_[orbit]; }

 private:
    std::vector<std::uint32_t> orbit_of_;  // by rank: orbit and symmetry
    std::vector<std::uint32_t> representatives_;
    std::vector<std::uint8_t> stabilisers_;
};

/// Those of 1 to 4 tokens, worked out when first asked for.
const Orbits& orbits_of(int tokens);

}  // namespace sparring::expendibots
