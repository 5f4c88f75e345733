// The inputs of Breakthrough's value network: each piece, one-hot by its owner, how many pieces attack and
// protect it, and its square.
#pragma once

#include <array>
#include <bit>

#include "breakthrough/position.hpp"
#include "game/compiler.hpp"
#include "search/value_network.hpp"

namespace sparring::breakthrough {

struct NetworkInputs {
    using Subject = Position;
    static constexpr int standings = 9;                // 0 to 2 attackers, 0 to 2 protectors
    static constexpr int places = 2 * standings * 64;  // by owner (the mover first), standing and square
    static constexpr int most_places = 32;
    static constexpr int numbers = 0;

    static const Position& subject(const Position& position) { return position; }

    /// Squares are seen by the side to move, whose pieces go up the board.
    template <class F>
    static void for_each_place(const Position& position, F f) {
        constexpr Bitboard first_column = 0x0101010101010101, last_column = first_column << 7;
        const int us = position.side();
        const auto upright = [&](int color) {
            return us == white ? position.pieces(color) : reversed_bytes(position.pieces(color));
        };
        const std::array<Bitboard, 2> pieces{upright(us), upright(1 - us)};
        // The squares that each side guards, by the two directions of a capture.
        const std::array<std::array<Bitboard, 2>, 2> guarded{
            {{(pieces[0] & ~first_column) << 7, (pieces[0] & ~last_column) << 9},
             {(pieces[1] & ~first_column) >> 9, (pieces[1] & ~last_column) >> 7}}};
        for (const int owner : {0, 1}) {
            const auto &attacks = guarded[1 - owner], &protects = guarded[owner];
            for (Bitboard left = pieces[owner]; left; left &= left - 1) {
                const int square = std::countr_zero(left);
                const auto count = [square](const std::array<Bitboard, 2>& from) {
                    return static_cast<int>((from[0] >> square & 1) + (from[1] >> square & 1));
                };
                f((owner * standings + 3 * count(attacks) + count(protects)) * 64 + square);
            }
        }
    }
    static std::array<float, 0> measure(const Position&) { return {}; }
};

using Network = search::ValueNetwork<NetworkInputs>;

}  // namespace sparring::breakthrough
