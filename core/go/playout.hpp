// A fast playout for Go: random moves on one board, without State objects.
#pragma once

#include "game/playout.hpp"
#include "go/position.hpp"

namespace sparring::go {

/// Every legal move, including the pass, is equally likely, as in the generic playout.
PlayoutResult playout(const State<Position>& state, std::uint64_t seed, std::uint32_t limit);

}  // namespace sparring::go
