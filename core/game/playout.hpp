// A playout: moves at random from a state to the end of the game, entirely in C++.
#pragma once

#include <cstdint>

#include "game/random.hpp"
#include "game/state.hpp"

namespace sparring {

struct PlayoutResult {
    Outcome outcome;  // not over when the limit came first
    std::uint32_t plies;
};

/// Every legal move is equally likely. Games with a quicker way of their own overload this.
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
