// Sets of squares of the 8x8 board as 64-bit words: the square (x, y) is bit 8 * y + x.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace sparring::expendibots {

using Bitboard = std::uint64_t;
using Square = int;

constexpr Square square(int x, int y) { return 8 * y + x; }
constexpr int x_of(Square s) { return s & 7; }
constexpr int y_of(Square s) { return s >> 3; }
constexpr Bitboard bit(Square s) { return Bitboard{1} << s; }

/// Removes and returns the lowest square.
inline Square pop_lsb(Bitboard& b) {
    const Square s = std::countr_zero(b);
    b &= b - 1;
    return s;
}

/// The squares and their eight neighbours.
constexpr Bitboard surroundings(Bitboard b) {
    constexpr Bitboard west_edge = 0x0101010101010101, east_edge = west_edge << 7;
    b |= (b & ~east_edge) << 1 | (b & ~west_edge) >> 1;
    return b | b << 8 | b >> 8;
}

/// The connected components of `occupied` that contain `b`.
constexpr Bitboard component(Bitboard b, Bitboard occupied) {
    for (Bitboard grown = surroundings(b) & occupied; grown != b; grown = surroundings(b) & occupied) {
        b = grown;
    }
    return b;
}

/// By square and height: the squares of the row and column that a stack of the height reaches. Height 7
/// reaches all of them.
using Reach = std::array<std::array<Bitboard, 8>, 64>;

constexpr Reach make_reach() {
    Reach reach{};
    for (Square s = 0; s < 64; ++s) {
        for (int height = 1; height < 8; ++height) {
            for (int i = 0; i < 8; ++i) {
                const int dx = i > x_of(s) ? i - x_of(s) : x_of(s) - i;
                const int dy = i > y_of(s) ? i - y_of(s) : y_of(s) - i;
                if (dx > 0 && dx <= height) reach[s][height] |= bit(square(i, y_of(s)));
                if (dy > 0 && dy <= height) reach[s][height] |= bit(square(x_of(s), i));
            }
        }
    }
    return reach;
}

inline constexpr Reach reach_table = make_reach();

inline Bitboard reach(Square s, int height) { return reach_table[s][height < 7 ? height : 7]; }

}  // namespace sparring::expendibots
