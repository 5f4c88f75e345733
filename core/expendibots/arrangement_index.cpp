#include "expendibots/arrangement_index.hpp"

#include <algorithm>

namespace sparring::expendibots {

namespace {

using Binomials = std::array<std::array<std::uint32_t, max_arranged + 1>, 64 + max_arranged>;

constexpr Binomials make_binomials() {
    Binomials table{};
    for (std::size_t n = 0; n < table.size(); ++n) {
        table[n][0] = 1;
        for (std::size_t k = 1; k <= max_arranged; ++k) {
            table[n][k] = n == 0 ? 0 : table[n - 1][k - 1] + table[n - 1][k];
        }
    }
    return table;
}

constexpr Binomials binomials = make_binomials();

}  // namespace

TokenSquares TokenSquares::of(const Board& board, Color side) {
    TokenSquares result;
    for (Bitboard stacks = board.colors[side]; stacks;) {
        const Square s = pop_lsb(stacks);
        for (int height = board.height(s); height > 0; --height) {
            result.squares[result.count++] = static_cast<std::int8_t>(s);
        }
    }
    return result;
}

TokenSquares TokenSquares::transformed(int symmetry) const {
    TokenSquares result;
    for (; result.count < count; ++result.count) {
        const auto s = static_cast<std::int8_t>(expendibots::transformed(squares[result.count], symmetry));
        int place = result.count;
        for (; place > 0 && result.squares[place - 1] > s; --place) {
            result.squares[place] = result.squares[place - 1];
        }
        result.squares[place] = s;
    }
    return result;
}

// Adding i to the i-th square makes the ascending squares distinct; they are indexed by the combinatorial
// number system.
std::uint32_t rank(const TokenSquares& tokens) {
    std::uint32_t result = 0;
    for (int i = 0; i < tokens.count; ++i) result += binomials[tokens.squares[i] + i][i + 1];
    return result;
}

TokenSquares unrank(int count, std::uint32_t rank) {
    TokenSquares result;
    result.count = count;
    int number = 63 + count;
    for (int i = count - 1; i >= 0; --i) {
        while (binomials[number][i + 1] > rank) --number;
        rank -= binomials[number][i + 1];
        result.squares[i] = static_cast<std::int8_t>(number - i);
    }
    return result;
}

std::uint32_t arrangement_count(int tokens) { return binomials[63 + tokens][tokens]; }

Orbits::Orbits(int tokens) {
    constexpr std::uint32_t unknown = ~0u;
    const std::uint32_t all = arrangement_count(tokens);
    orbit_of_.assign(all, unknown);
    for (std::uint32_t first = 0; first < all; ++first) {
        if (orbit_of_[first] != unknown) continue;
        const TokenSquares squares = unrank(tokens, first);
        const auto orbit = static_cast<std::uint32_t>(representatives_.size());
        std::uint8_t stabiliser = 0;
        for (int symmetry = 0; symmetry < symmetries; ++symmetry) {
            const std::uint32_t image = rank(squares.transformed(symmetry));
            if (image == first) stabiliser |= static_cast<std::uint8_t>(1 << symmetry);
            if (orbit_of_[image] == unknown) {
                orbit_of_[image] = orbit << 3 | static_cast<std::uint32_t>(inverse_symmetry(symmetry));
            }
        }
        representatives_.push_back(first);
        stabilisers_.push_back(stabiliser);
    }
}

namespace {

template <int tokens>
const Orbits& orbits_once() {
    static const Orbits orbits(tokens);
    return orbits;
}

}  // namespace

const Orbits& orbits_of(int tokens) {
    switch (tokens) {
        case 1: return orbits_once<1>();
        case 2: return orbits_once<2>();
        case 3: return orbits_once<3>();
        default: return orbits_once<max_arranged>();
    }
}

}  // namespace sparring::expendibots
