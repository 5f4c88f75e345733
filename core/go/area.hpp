// Whose the points of a board are: by the stones alone, by unconditional life, and without seki.
#pragma once

#include <array>

#include "go/board.hpp"

namespace sparring::go {

/// The owner of every point, `empty` where it has none.
using Owners = std::array<Color, most_points>;

/// Stones belong to their colour, an empty region to the only colour that it touches.
Owners plain_owners(const Board& board);

/// As `plain_owners`, but what stands in the territory of chains that live even if their owner always
/// passes (Benson 1976) is theirs. `suicide`: whether chains may be played to their death.
Owners pass_alive_owners(const Board& board, bool suicide);

/// The groups that touch no neutral point and have no stone in atari.
struct Independent {
    Owners owners;                // of their points alone
    std::array<int, 2> groups{};  // of each colour
};
Independent independent_life(const Board& board, const Owners& owners);

}  // namespace sparring::go
