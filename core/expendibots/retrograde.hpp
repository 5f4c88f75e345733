// Endgame tables made by retrograde analysis: from positions that are decided back to those before them.
#pragma once

#include <cstdint>
#include <vector>

#include "expendibots/endgame_tables.hpp"

namespace sparring::expendibots {

/// The values of all positions of a material. `smaller` has the tables of every material that a BOOM can
/// leave. Throws ParseError when it lacks one.
std::vector<std::int8_t> solve(Material material, const EndgameTables& smaller);

/// How many positions of a table have another value than the rules and their successors' values give
/// them; `smaller` as in `solve`, with the table itself.
std::uint64_t count_errors(Material material, const EndgameTables& tables);

}  // namespace sparring::expendibots
