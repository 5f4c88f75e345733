// The board as a plain value of one cache line: stacks, heights and side to move.
#pragma once

#include <array>
#include <cstdint>

#include "expendibots/action.hpp"
#include "expendibots/squares.hpp"

namespace sparring::expendibots {

enum Color : int { white = 0, black = 1 };

struct Board {
    std::array<Bitboard, 2> colors{};  // stacks by Color
    std::array<Bitboard, 4> digits{};  // bit-sliced heights: stacks with this binary digit
    std::uint64_t key = 0;             // Zobrist key of stacks and side to move
    std::uint16_t actions = 0;         // actions of both sides so far
    std::uint8_t turn = white;

    bool operator==(const Board&) const = default;

    Bitboard occupied() const { return colors[white] | colors[black]; }
    int height(Square s) const {
        int result = 0;
        for (int i = 0; i < 4; ++i) result |= static_cast<int>(digits[i] >> s & 1) << i;
        return result;
    }
    /// The tokens of the stacks on these squares.
    int tokens(Bitboard squares) const {
        int result = 0;
        for (int i = 0; i < 4; ++i) result += std::popcount(digits[i] & squares) << i;
        return result;
    }

    /// Sets the height of a stack of `c` on a square without a stack of the opponent.
    void set_height(Color c, Square s, int height);
    void set_turn(Color c);

    /// Plays a legal action.
    void apply(Move code);

 private:
    void explode(Square s);
};

static_assert(sizeof(Board) == 64);

}  // namespace sparring::expendibots
