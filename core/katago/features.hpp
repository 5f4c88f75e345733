// What KataGo's networks of versions 8 to 17 see of a Go position: its "version 7" inputs.
#pragma once

#include <cstddef>

#include "game/state.hpp"
#include "go/position.hpp"

namespace sparring::katago {

constexpr std::size_t spatial_planes = 22;
constexpr std::size_t global_inputs = 19;

/// Writes a position as KataGo's fillRowV7 does: `spatial` is [22, side, side], rows from the top, the
/// board in the first corner and zeros beyond it; `global` is [19]. The side is at least the board's.
void encode(const Node<go::Position>& node, int side, float* spatial, float* global);

}  // namespace sparring::katago
