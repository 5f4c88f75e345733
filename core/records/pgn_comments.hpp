// Parses PGN comment commands such as [%clk 0:05:00] and [%eval 0.25].
#pragma once

#include <cstdint>
#include <string_view>

namespace sparring::records {

/// An unknown clock or evaluation.
constexpr std::int32_t no_clock = -1;
constexpr std::int16_t no_eval = INT16_MIN;
/// A mate in n is mate_eval - n centipawns, for the side that mates; other evaluations stay below 30000.
constexpr std::int16_t mate_eval = 32000;

/// h:mm:ss with optional fractions, or less of it, in tenths of a second; no_clock for anything else.
std::int32_t parse_clock(std::string_view text);

/// Centipawns from pawns with decimals, or #n for a mate; a depth after a comma is ignored. no_eval for
/// anything else.
std::int16_t parse_eval(std::string_view text);

}  // namespace sparring::records
