// The eight symmetries of the board. The rules have no direction.
#pragma once

#include "expendibots/action.hpp"
#include "expendibots/board.hpp"
#include "expendibots/squares.hpp"

namespace sparring::expendibots {

/// A symmetry is a number: 4 swaps columns with rows, then 2 mirrors the rows and 1 the columns.
constexpr int symmetries = 8;

constexpr Square transformed(Square s, int symmetry) {
    const int x = symmetry & 4 ? y_of(s) : x_of(s), y = symmetry & 4 ? x_of(s) : y_of(s);
    return square(symmetry & 1 ? 7 - x : x, symmetry & 2 ? 7 - y : y);
}

/// The inverse of a symmetry.
constexpr int inverse_symmetry(int symmetry) {
    return symmetry & 4 ? 4 | (symmetry & 1) << 1 | (symmetry & 2) >> 1 : symmetry;
}

constexpr Move transformed_action(Move code, int symmetry) {
    const Action action = decode(code);
    if (action.is_boom()) return boom(transformed(action.from, symmetry));
    return move(transformed(action.from, symmetry), transformed(action.to, symmetry), action.tokens);
}

/// The transformed board, with the sides exchanged if `swapped`.
inline Board turned_board(const Board& board, int symmetry, bool swapped) {
    Board result;
    for (const Color c : {white, black}) {
        const Color owner = swapped ? static_cast<Color>(1 - c) : c;
        for (Bitboard stacks = board.colors[c]; stacks;) {
            const Square s = pop_lsb(stacks);
            result.set_height(owner, transformed(s, symmetry), board.height(s));
        }
    }
    result.set_turn(static_cast<Color>(swapped ? 1 - board.turn : board.turn));
    result.actions = board.actions;
    return result;
}

/// The canonical image of a board: the same for all symmetric boards, also with the sides exchanged.
struct Canonical {
    std::uint64_t key;
    int symmetry;  // that leads there
};

/// The image with the smallest key, and the first symmetry that leads to it.
inline Canonical canonical(const Board& board) {
    Canonical best{~std::uint64_t{0}, 0};
    for (int symmetry = 0; symmetry < symmetries; ++symmetry) {
        for (const bool swapped : {false, true}) {
            const std::uint64_t key = turned_board(board, symmetry, swapped).key;
            if (key < best.key) best = {key, symmetry};
        }
    }
    return best;
}

}  // namespace sparring::expendibots
