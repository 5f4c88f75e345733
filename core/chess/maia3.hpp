// How Maia-3 sees a chess position and numbers its moves: always as the side to move sees the board,
// with the ranks mirrored for Black.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chess/position.hpp"
#include "game/state.hpp"

namespace sparring::chess::maia3 {

constexpr std::size_t squares = 64;
constexpr std::size_t boards = 8;
constexpr std::size_t pieces = 12;
/// A token a square: for each of the last boards, oldest first, which of the mover's own and then the
/// other side's pieces stands there. Every board is seen by its own mover. Where the line is shorter,
/// its first board stands for those before it.
constexpr std::size_t token_size = boards * pieces;

/// The tokens of a position, [squares, token_size]; what they held before must be zero.
void encode(const Node<Position>& node, float* tokens);
void encode(const Node<Position>& node, std::uint8_t* tokens);

/// From-square and to-square, then promotions by the two files and the piece: queen, rook, bishop, knight.
constexpr std::size_t labels = 64 * 64 + 8 * 8 * 4;
std::size_t label(const Board& board, Move move);

}  // namespace sparring::chess::maia3
