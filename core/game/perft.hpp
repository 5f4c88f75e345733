// Perft: the number of move sequences of a given length, the classic proof of a move generator.
#pragma once

#include <cstdint>

#include "game/move.hpp"
#include "game/state.hpp"

namespace sparring {

/// Counts without looking at the past: repetition and move-count draws do not end a line here.
/// The last ply is counted, not played; a position that can count faster says so with `count`.
template <class P>
std::uint64_t perft(const P& position, int depth) {
    if (depth <= 0) return 1;
    if constexpr (requires {
                      { position.count() } -> std::same_as<std::uint64_t>;
                  }) {
        if (depth == 1) return position.count();
    }
    MoveList list;
    position.moves(list);
    if (depth == 1) return list.size();
    std::uint64_t nodes = 0;
    for (const Move move : list) {
        P next = position;
        next.play(move);
        nodes += perft(next, depth - 1);
    }
    return nodes;
}

}  // namespace sparring
