// The eight symmetries of the board. Nothing in the rules knows forward from sideways.
#pragma once

#include "expendibots/action.hpp"
#include "expendibots/board.hpp"
#include "expendibots/squares.hpp"

namespace sparring::expendibots {

/// A symmetry is a number: 4 swaps columns with rows, then 2 mirrors the rows and 1 the columns.
constexpr int symmetries = 8;

constexpr Square turned(Square s, int symmetry) {
    const int x = symmetry & 4 ? y_of(s) : x_of(s), y = symmetry & 4 ? x_of(s) : y_of(s);
    return square(symmetry & 1 ? 7 - x : x, symmetry & 2 ? 7 - y : y);
}

/// The symmetry that undoes one: mirroring before a swap is mirroring the other way after it.
constexpr int undone(int symmetry) {
    return symmetry & 4 ? 4 | (symmetry & 1) << 1 | (symmetry & 2) >> 1 : symmetry;
}

constexpr Move turned_action(Move code, int symmetry) {
    const Action action = decode(code);
    if (action.is_boom()) return boom(turned(action.from, symmetry));
    return move(turned(action.from, symmetry), turned(action.to, symmetry), action.tokens);
}

/// The board turned, its sides exchanged where `swapped`: who was to move is White then, or Black.
inline Board turned_board(const Board& board, int symmetry, bool swapped) {
    Board result;
    for (const Color c : {white, black}) {
        const Color owner = swapped ? static_cast<Color>(1 - c) : c;
        for (Bitboard stacks = board.colors[c]; stacks;) {
            const Square s = pop(stacks);
            result.set_height(owner, turned(s, symmetry), board.height(s));
        }
    }
    result.set_turn(static_cast<Color>(swapped ? 1 - board.turn : board.turn));
    result.actions = board.actions;
    return result;
}

}  // namespace sparring::expendibots
