// Breakthrough (Dan Troyka, 2000) on 8x8.
//
// White moves up the board from rows 1 and 2, Black down from rows 8 and 7. A piece moves one step forward,
// straight or diagonally, to an empty square; it captures only diagonally. A player wins by reaching the far
// row or by capturing all pieces.
//
// A position is written like FEN, the initial one
//
//     pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w
//
// and a move as its two squares, such as a2b3.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "game/state.hpp"

namespace sparring::breakthrough {

using Bitboard = std::uint64_t;  // the square of column x and row y is bit 8 * y + x

enum Color : int { white = 0, black = 1 };

/// The number of move codes. A code is 3 * source square + direction: 0 to a lower column, 1 straight, 2 to a
/// higher column.
constexpr int move_codes = 3 * 64;

class Position {
 public:
    static constexpr bool positions_recur = false;  // pieces only go forward

    Position();  // the initial position
    static Position parse(std::string_view text);

    std::string text() const;
    Move parse_move(std::string_view text) const;
    std::string move_text(Move m) const;
    Player side() const { return turn_; }
    std::uint64_t key() const;
    std::uint64_t hash() const { return key(); }
    bool operator==(const Position&) const = default;

    /// All legal moves; none after a win.
    void moves(MoveList& list) const;
    void play(Move m);
    bool captures(Move m) const { return pieces_[1 - turn_] >> target(m) & 1; }

    Bitboard pieces(int color) const { return pieces_[color]; }
    /// The winner, or -1.
    int winner() const;
    /// The target square of a move of the side to move.
    int target(Move m) const { return m / 3 + (turn_ == white ? 8 : -8) + m % 3 - 1; }

    std::array<std::size_t, 3> shape() const { return {2, 8, 8}; }
    /// Own pieces and the opponent's, seen by the side to move: rows are reversed for Black.
    void encode(float* out) const;

    static Outcome outcome(const Node<Position>& node);
    static void legal_moves(const Node<Position>& node, MoveList& list) { node.position.moves(list); }

 private:
    std::array<Bitboard, 2> pieces_{};
    int turn_ = white;
};

}  // namespace sparring::breakthrough
