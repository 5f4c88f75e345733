// Perft: the number of move sequences of a given length, the standard test of a move generator.
#pragma once

#include <cstdint>

#include "game/move.hpp"
#include "game/state.hpp"

namespace sparring {

/// Counts move sequences of length `depth`. Draws by repetition or move count do not end a sequence. The last
/// ply is counted without playing it, by Position::count if the game has it.
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
