// Expendibots as a game: the course referee's rules over a Board.
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

    /// All of the referee's actions, also those that lead to the same position: the BOOMs of one
    /// component. None once a side has no tokens.
    void moves(MoveList& list) const;
    std::uint64_t count() const;
    void play(Move m) { board_.apply(m); }

    static constexpr std::size_t planes = 7;
    std::array<std::size_t, 3> shape() const { return {planes, 8, 8}; }
    /// Black sees the board upside down, so that own tokens start at the bottom. Own and then the other's:
    /// heights over 12, stacks, tokens in the square's component over 12; last, actions over 500.
    void encode(float* out) const;

    /// No tokens of a side, then the fourth visit to a position, then 500 actions.
    static Outcome outcome(const Node<Position>& node);
    static void legal_moves(const Node<Position>& node, MoveList& list) { node.position.moves(list); }

 private:
    explicit Position(const Board& board) : board_(board) {}
    bool decided() const { return !board_.colors[white] || !board_.colors[black]; }

    Board board_;
};

/// How often the newest position has come up in its line, itself included. The search stops at a
/// BOOM: no position with the tokens that it removed can come again.
int visits(const Node<Position>& node);

}  // namespace sparring::expendibots
