// Go as a game: whose turn it is, ko, passes and prisoners over a Board.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "game/state.hpp"
#include "go/board.hpp"
#include "go/rules.hpp"

namespace sparring::go {

/// Prisoners stop counting here, which no game reaches: the number always fits its text.
constexpr int max_prisoners = 999'999'999;

/// Points of both players in halves, komi included.
struct Score {
    std::int64_t black = 0;
    std::int64_t white = 0;
};

/// A Go position that knows its rules. Its text, one line, is described in src/sparring/games/go.py.
class Position {
 public:
    Position(int size, Rules rules, int handicap);
    static Position parse(std::string_view text);
    std::string text() const;

    /// GTP's vertices, and pass.
    Move parse_move(std::string_view text) const;
    std::string move_text(Move m) const;

    const Rules& rules() const { return rules_; }
    const Board& board() const { return board_; }
    int size() const { return board_.size(); }
    Move pass() const { return static_cast<Move>(board_.points()); }
    int passes() const { return passes_; }
    Point ko_point() const { return ko_; }  // where the player to move may not take back, or no_point
    /// Stones that the player took, or that the other lost by suicide.
    int prisoners(Player player) const { return prisoners_[static_cast<std::size_t>(player)]; }

    Player side() const { return side_; }
    std::uint64_t key() const { return key_of(board_.key(), side_); }
    std::uint64_t hash() const;
    bool operator==(const Position& other) const;

    void moves(MoveList& list) const;
    void play(Move m);
    /// Whether `moves` has a move on this point.
    bool playable(Point p) const {
        return board_.at(p) == empty && p != ko_ && board_.playable(side_, p, rules_.suicide);
    }
    /// The key after a playable move.
    std::uint64_t key_after(Point p) const { return key_of(board_.key_after(side_, p), ~side_); }
    /// Whether superko has to look at the line before it allows a playable move.
    bool needs_superko_check(Point p) const {
        return rules_.ko != KoRule::simple &&
               (board_.was_captured(side_, p) || (rules_.suicide && !board_.playable(side_, p, false)));
    }

    /// The score if play stopped here. Chains with a stone on a `dead` point are prisoners; the others
    /// live. Throws std::invalid_argument when there is no stone on a dead point.
    Score score(std::span<const int> dead = {}) const;
    /// The result if play stopped here.
    Outcome result() const;

    static constexpr std::size_t planes = 14;
    std::array<std::size_t, 3> shape() const;
    void encode(float* out) const;

    static Outcome outcome(const Node<Position>& node);
    static void legal_moves(const Node<Position>& node, MoveList& list);
    static bool is_legal(const Node<Position>& node, Move m);

 private:
    std::uint64_t key_of(std::uint64_t stones, Color side) const;
    void capture(Color by, int stones);

    Board board_;
    Rules rules_;
    std::array<std::int32_t, 2> prisoners_{};
    Point ko_ = no_point;
    Color side_ = black;
    std::uint8_t passes_ = 0;
};

}  // namespace sparring::go
