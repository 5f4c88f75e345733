// Parses moves in SAN, long algebraic notation and UCI.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "chess/position.hpp"

namespace sparring::chess {

/// A legal move and its index among all legal moves in ascending order.
struct IndexedMove {
    Move move;
    std::size_t index;
};

/// The legal move of a text, or nothing if no move or several match. Accepts Nf3, Nbd2, exd5, e8=Q, e8Q, O-O,
/// 0-0, e2e4, e2-e4 and Ng1-f3, each followed by any of + # ! ?.
std::optional<IndexedMove> parse_san(const Position& position, std::string_view text);

}  // namespace sparring::chess
