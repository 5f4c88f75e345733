// Ownership of points: by area, by pass-alive chains, and by independent life.
#pragma once

#include <array>

#include "go/board.hpp"

namespace sparring::go {

/// The owner of every point, or `empty`.
using Ownership = std::array<Color, max_points>;

/// Area ownership: a stone belongs to its colour, an empty region to the only colour that borders it.
Ownership area_ownership(const Board& board);

/// As `area_ownership`, but the territory of pass-alive chains (Benson 1976) belongs to them with all stones
/// in it. `suicide`: whether suicide of several stones is legal.
Ownership pass_alive_ownership(const Board& board, bool suicide);

/// The groups that touch no neutral point and have no stone in atari: those not in seki.
struct IndependentLife {
    Ownership owners;             // of their points alone
    std::array<int, 2> groups{};  // of each colour
};
IndependentLife independent_life(const Board& board, const Ownership& owners);

}  // namespace sparring::go
