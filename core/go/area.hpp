// Whose the points of a board are: by the stones alone, by unconditional life, and without seki.
#pragma once

#include <array>

#include "go/board.hpp"

namespace sparring::go {

/// The owner of every point, `empty` where it has none.
using Ownership = std::array<Color, max_points>;

/// Stones belong to their colour, an empty region to the only colour that it touches.
Ownership area_ownership(const Board& board);

/// As `area_ownership`, but what stands in the territory of chains that live even if their owner always
/// passes (Benson 1976) is theirs. `suicide`: whether chains may be played to their death.
Ownership pass_alive_ownership(const Board& board, bool suicide);

/// The groups that touch no neutral point and have no stone in atari.
struct IndependentLife {
    Ownership owners;             // of their points alone
    std::array<int, 2> groups{};  // of each colour
};
IndependentLife independent_life(const Board& board, const Ownership& owners);

}  // namespace sparring::go
