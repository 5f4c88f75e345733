// Boards edited to fit an observation that contradicts them, and a guess of one board.
//
// The player's own pieces stay as they are. The opponent's pieces are moved, removed or added as the
// observation requires, the nearest first.
#pragma once

#include <optional>
#include <vector>

#include "rbc/board_set.hpp"

namespace sparring::rbc {

/// After an opponent's move: its nearest piece captures on the square, if there is one. This and the next two
/// throw std::invalid_argument if no board can be edited.
BoardSet repair_capture(const BoardSet& boards, std::optional<Square> captured);

/// Shows the result of a sense.
BoardSet repair_sense(const BoardSet& boards, const std::vector<SensedSquare>& seen);

/// Allows the player's move `result` with its capture, and plays it.
BoardSet repair_move(const BoardSet& boards, Move result, std::optional<Square> captured);

/// A board that is consistent with the latest observations. Unobserved pieces stay where they were.
class Guess {
 public:
    Guess(chess::Color player, const Board& start) : player_(player), board_(start) {}

    chess::Color player() const { return player_; }
    /// Legal for rules and engines: at most one king a side, no more pieces than at the start.
    const Board& board() const { return board_; }

    void opponent_moved(std::optional<Square> captured);
    void sensed(const std::vector<SensedSquare>& seen);
    void moved(Move result, std::optional<Square> captured);

 private:
    void came_from_elsewhere(chess::Color color, int type);
    void place_mover(Move result);
    void put_in_order(chess::Color turn);
    void place_king(chess::Color color);
    void remove_excess(Bitboard squares, int most);

    chess::Color player_;
    Board board_;
    Bitboard seen_ = 0;  // squares that were sensed since the opponent's last move
};

}  // namespace sparring::rbc
