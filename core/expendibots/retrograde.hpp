// Retrograde analysis of endgame tables.
#pragma once

#include <cstdint>
#include <vector>

#include "expendibots/endgame_tables.hpp"

namespace sparring::expendibots {

/// Computes the values of all positions of a material. `smaller` has the tables of all materials that a BOOM
/// can lead to. Throws ParseError if one is missing.
std::vector<std::int8_t> solve(Material material, const EndgameTables& smaller);

/// The number of positions of a table whose value does not follow from the values of their successors.
/// `smaller` is as in `solve`, and includes the table itself.
std::uint64_t count_errors(Material material, const EndgameTables& tables);

}  // namespace sparring::expendibots
