// Go's own playout: random play on one board, without a state a move.
#pragma once

#include "game/playout.hpp"
#include "go/position.hpp"

namespace sparring::go {

/// Every legal move, the pass included, is equally likely, as in the playout of any game.
PlayoutResult playout(const State<Position>& state, std::uint64_t seed, std::uint32_t limit);

}  // namespace sparring::go
