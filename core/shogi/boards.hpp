// How our own shogi networks see a game and number its moves: the newest boards, all as the side to move now
// sees them, so that a piece that stayed is at the same place in each. Rows run from the far side, columns
// from the left of the side to move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "game/state.hpp"
#include "shogi/dlshogi.hpp"
#include "shogi/position.hpp"

namespace sparring::shogi::boards {

constexpr std::size_t board_planes = 2 * num_piece_types;
/// How many pieces of each kind are in the hands, own ones first; whether the side to move is in check.
constexpr std::size_t other_planes = 2 * num_hand_types + 1;
constexpr std::size_t planes(int boards) {
    return static_cast<std::size_t>(boards) * board_planes + other_planes;
}

/// The planes of the last `boards` positions, newest first, then those of the newest alone; what they held
/// before must be zero, and stays so where the line is shorter.
void encode(const Node<Position>& node, int boards, std::uint8_t* out);

/// dlshogi's directions and drops, by the cell of the planes where a piece arrives.
constexpr std::size_t labels = dlshogi::labels;
std::optional<std::uint16_t> label(const Board& board, Move move);

}  // namespace sparring::shogi::boards
