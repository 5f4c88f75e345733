// The two actions, BOOM and MOVE, as 16-bit codes.
#pragma once

#include "expendibots/squares.hpp"
#include "game/move.hpp"

namespace sparring::expendibots {

/// The number of tokens of a side at the start: the largest height of a stack.
constexpr int max_tokens = 12;

/// Codes below 64 are the BOOM of that square. MOVEs follow, ordered by source, target (8 slots for the row
/// of the source, 8 for its column) and number of tokens.
constexpr int target_slots = 16;
constexpr int action_codes = 64 + 64 * target_slots * max_tokens;

struct Action {
    Square from;
    Square to;   // of a BOOM: from
    int tokens;  // of a BOOM: 0

    constexpr bool is_boom() const { return tokens == 0; }
};

constexpr bool is_boom(Move code) { return code < 64; }
constexpr Move boom(Square s) { return static_cast<Move>(s); }

/// `to` is another square of the row or column of `from`.
constexpr Move move(Square from, Square to, int tokens) {
    const int slot = y_of(from) == y_of(to) ? x_of(to) : 8 + y_of(to);
    return static_cast<Move>(64 + (from * target_slots + slot) * max_tokens + tokens - 1);
}

constexpr Action decode(Move code) {
    if (is_boom(code)) return {code, code, 0};
    const int line = (code - 64) / max_tokens, tokens = (code - 64) % max_tokens + 1;
    const Square from = line / target_slots;
    const int slot = line % target_slots;
    return {from, slot < 8 ? square(slot, y_of(from)) : square(x_of(from), slot - 8), tokens};
}

/// Whether the code is an action of some position: in range, and the target of a MOVE is not its source.
constexpr bool is_action(Move code) {
    if (code >= action_codes) return false;
    const Action action = decode(code);
    return action.is_boom() || action.from != action.to;
}

}  // namespace sparring::expendibots
