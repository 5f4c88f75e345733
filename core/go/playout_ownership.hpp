// Who will own each point at the end, estimated by random playouts: which stones are dead.
#pragma once

#include <cstdint>
#include <vector>

#include "go/position.hpp"

namespace sparring::go {

/// The mean owner of every point after `playouts` random games: 1 for Black, -1 for White.
///
/// The games fill no own eyes and end when neither side has another move. Black and White begin in turn.
/// Stones inside the territory of pass-alive chains (Benson 1976) count as taken.
std::vector<float> playout_ownership(const Position& position, std::uint64_t seed, int playouts);

}  // namespace sparring::go
