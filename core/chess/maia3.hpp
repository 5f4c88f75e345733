// Inputs and policy of Maia-3. The board is seen by the side to move: ranks are mirrored for Black.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chess/position.hpp"
#include "game/state.hpp"

namespace sparring::chess::maia3 {

constexpr std::size_t squares = 64;
constexpr std::size_t boards = 8;
constexpr std::size_t pieces = 12;
/// The size of a token. Each square has a token: for each of the last eight boards, oldest first, a one-hot
/// code of the piece, own pieces first. Each board is seen by its own side to move. If the line is shorter,
/// its first board is repeated.
constexpr std::size_t token_size = boards * pieces;

/// Writes the tokens of a position, [squares, token_size], to zeroed memory.
void encode(const Node<Position>& node, float* tokens);
void encode(const Node<Position>& node, std::uint8_t* tokens);

/// Policy entries: from-square and to-square, then promotions by the two files and the piece (queen, rook,
/// bishop, knight).
constexpr std::size_t labels = 64 * 64 + 8 * 8 * 4;
std::size_t label(const Board& board, Move move);

}  // namespace sparring::chess::maia3
