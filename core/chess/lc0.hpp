// How Lc0's networks see a chess game and name its moves.
//
// The input is Lc0's "classical" one: 112 planes of 64 squares. The eight newest boards, newest first,
// have 13 planes each (own pawns, knights, bishops, rooks, queens and king, the other side's, and
// whether the board has come up before); then castling rights (own long and short, the other side's),
// whether Black is to move, the plies since a capture or pawn move as a number, zeros and ones. Squares
// run from a1; when Black is to move, ranks are mirrored, so that the mover always plays upwards.
//
// The policy has 1858 entries: every move of a queen or a knight on an empty board by from-square and
// to-square, then promotions to queen, rook and bishop. A promotion to a knight is the plain pawn move,
// castling is the king taking its own rook.
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

/// The planes of the newest position of a line, [112, 64]. Every plane but the ply counter is 0 or 1;
/// the counter ends at 255.
///
/// Boards from before the line began are empty when it began with the initial position, as Lc0 leaves
/// them; from any other position they repeat it, a pawn that just made a double step set back.
void encode(const Node<Position>& node, std::uint8_t* out);

/// An entry of the policy: a move of the mover, who plays upwards.
struct PolicyMove {
    std::int8_t from;
    std::int8_t to;
    std::int8_t promotion;  // queen, rook or bishop, or 0
};

const std::array<PolicyMove, policy_size>& policy_moves();

/// Where the policy has a legal move of the board.
int policy_index(const Board& board, Move move);

}  // namespace sparring::chess::lc0
