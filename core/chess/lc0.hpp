// Inputs and policy of Lc0 networks.
//
// The input format is "classical 112 planes" of 64 squares. The last eight boards, newest first, have 13
// planes each: own pawns, knights, bishops, rooks, queens and king, the opponent's, and repetition. Then
// follow castling rights (own long and short, the opponent's), Black to move, the halfmove clock, zeros and
// ones. Squares run from a1. If Black is to move, ranks are mirrored, so that the side to move plays upwards.
//
// The policy has 1858 entries: all queen and knight moves on an empty board by from-square and to-square,
// then promotions to queen, rook and bishop. A knight promotion is the plain pawn move; castling is the king
// capturing its own rook.
#pragma once

#include <array>
#include <cstdint>

#include "chess/position.hpp"
#include "game/state.hpp"

namespace sparring::chess::lc0 {

constexpr int boards = 8;
constexpr int board_planes = 13;
constexpr int planes = boards * board_planes + 8;
constexpr int squares = 64;
constexpr int policy_size = 1858;

/// Writes the planes of the newest position of a line, [112, 64]. All planes but the halfmove clock, at most
/// 255, are 0 or 1.
///
/// Boards before the start of the line are empty if it starts from the initial position, as in Lc0. From
/// another position they repeat that position, with a pawn that has just made a double step moved back.
void encode(const Node<Position>& node, std::uint8_t* out);

/// A policy entry: a move as the side to move sees the board.
struct PolicyMove {
    std::int8_t from;
    std::int8_t to;
    std::int8_t promotion;  // queen, rook or bishop, or 0
};

const std::array<PolicyMove, policy_size>& policy_moves();

/// The policy index of a legal move.
int policy_index(const Board& board, Move move);

}  // namespace sparring::chess::lc0
