// Expendibots by the rules of the course referee, over a Board.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "expendibots/board.hpp"
#include "expendibots/notation.hpp"
#include "game/state.hpp"

namespace sparring::expendibots {

class Position {
 public:
    Position();  // the initial position
    static Position parse(std::string_view text) { return Position(parse_position(text)); }

    const Board& board() const { return board_; }
    std::string text() const { return position_text(board_); }
    Move parse_move(std::string_view text) const { return parse_action(board_, text); }
    std::string move_text(Move m) const { return action_text(m); }
    Player side() const { return board_.turn; }
    std::uint64_t key() const { return board_.key; }
    std::uint64_t hash() const;
    bool operator==(const Position&) const = default;

    /// All actions of the referee, including BOOMs of one component, which lead to the same position. None if
    /// a side has no tokens.
    void moves(MoveList& list) const;
    std::uint64_t count() const;
    void play(Move m) { board_.apply(m); }

    static constexpr std::size_t planes = 7;
    std::array<std::size_t, 3> shape() const { return {planes, 8, 8}; }
    /// Rows are reversed for Black, so that own tokens start at the bottom. Own, then the opponent's: heights
    /// / 12, stacks, tokens in the component / 12; last, actions / 500.
    void encode(float* out) const;

    /// No tokens of a side, then the fourth visit to a position, then 500 actions.
    static Outcome outcome(const Node<Position>& node);
    static void legal_moves(const Node<Position>& node, MoveList& list) { node.position.moves(list); }

 private:
    explicit Position(const Board& board) : board_(board) {}
    bool decided() const { return !board_.colors[white] || !board_.colors[black]; }

    Board board_;
};

/// The number of occurrences of the newest position in its line, itself included. The search ends at a BOOM:
/// positions with the removed tokens cannot recur.
int visits(const Node<Position>& node);

}  // namespace sparring::expendibots
