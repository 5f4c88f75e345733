// Playouts: uniformly random moves to the end of the game.
#pragma once

#include <cstdint>

#include "game/random.hpp"
#include "game/state.hpp"

namespace sparring {

struct PlayoutResult {
    Outcome outcome;  // not over if the limit was reached
    std::uint32_t plies;
};

/// Plays at most `limit` random moves. A game may overload this with a faster implementation.
template <GamePosition P>
PlayoutResult playout(State<P> state, std::uint64_t seed, std::uint32_t limit) {
    Random random(seed);
    MoveList list;
    std::uint32_t plies = 0;
    while (!state.outcome().over() && plies < limit) {
        state.legal_moves(list);
        state = state.play(list[random.below(static_cast<std::uint32_t>(list.size()))]);
        ++plies;
    }
    return {state.outcome(), plies};
}

}  // namespace sparring
