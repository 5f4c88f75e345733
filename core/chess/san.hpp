// Moves as people write them: SAN, long algebraic notation, and UCI.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "chess/position.hpp"

namespace sparring::chess {

/// A legal move and its place among all legal moves in ascending order.
struct IndexedMove {
    Move move;
    std::size_t index;
};

/// The one legal move of the position that the text means; nothing when none or several fit. Takes Nf3,
/// Nbd2, exd5, e8=Q or e8Q, O-O or 0-0, e2e4, e2-e4, Ng1-f3, with any of + # ! ? behind.
std::optional<IndexedMove> parse_san(const Position& position, std::string_view text);

}  // namespace sparring::chess
