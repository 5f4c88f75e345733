// The encoding "boards" of shogi: inputs and policy of our own networks. All boards are seen by the side that
// moves now: a piece that stays keeps its cell. Rows run from the far side, columns from the left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "game/state.hpp"
#include "shogi/dlshogi.hpp"
#include "shogi/position.hpp"

namespace sparring::shogi::boards {

constexpr std::size_t board_planes = 2 * num_piece_types;
/// The number of pieces of each type in hand, own first; whether the side to move is in check.
constexpr std::size_t other_planes = 2 * num_hand_types + 1;
constexpr std::size_t planes(int boards) {
    return static_cast<std::size_t>(boards) * board_planes + other_planes;
}

/// Writes the planes of the last `boards` positions, newest first, then the other planes of the newest, to
/// zeroed memory. Positions before the start of the line are zeros.
void encode(const Node<Position>& node, int boards, std::uint8_t* out);

/// Labels: a plane for each of dlshogi's directions and drops, by the target cell.
constexpr std::size_t labels = dlshogi::labels;
std::optional<std::uint16_t> label(const Board& board, Move move);

}  // namespace sparring::shogi::boards
