// Go: a Board with its rules, side to move, ko, passes and prisoners.
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

/// The largest number of prisoners. No game reaches it; it bounds the text.
constexpr int max_prisoners = 999'999'999;

/// The scores of both players in half points, komi included.
struct Score {
    std::int64_t black = 0;
    std::int64_t white = 0;
};

/// A Go position with its rules. src/sparring/go/game.py describes the text.
class Position {
 public:
    Position(int size, Rules rules, int handicap);
    static Position parse(std::string_view text);
    std::string text() const;

    /// GTP vertices, or pass.
    Move parse_move(std::string_view text) const;
    std::string move_text(Move m) const;

    const Rules& rules() const { return rules_; }
    const Board& board() const { return board_; }
    int size() const { return board_.size(); }
    Move pass() const { return static_cast<Move>(board_.points()); }
    int passes() const { return passes_; }
    Point ko_point() const { return ko_; }  // the point forbidden by simple ko, or no_point
    /// Stones captured by the player, including those that the opponent lost by suicide.
    int prisoners(Player player) const { return prisoners_[static_cast<std::size_t>(player)]; }

    Player side() const { return side_; }
    std::uint64_t key() const { return key_of(board_.key(), side_); }
    std::uint64_t hash() const;
    bool operator==(const Position& other) const;

    void moves(MoveList& list) const;
    void play(Move m);
    /// Whether a move on this point is legal without superko.
    bool playable(Point p) const {
        return board_.at(p) == empty && p != ko_ && board_.playable(side_, p, rules_.suicide);
    }
    /// The key after a playable move.
    std::uint64_t key_after(Point p) const { return key_of(board_.key_after(side_, p), ~side_); }
    /// Whether a playable move may repeat a position, so that superko must search the line.
    bool needs_superko_check(Point p) const {
        return rules_.ko != KoRule::simple &&
               (board_.was_captured(side_, p) || (rules_.suicide && !board_.playable(side_, p, false)));
    }

    /// The score if the game ended here. Chains with a stone on a `dead` point are removed as prisoners.
    /// Throws std::invalid_argument if a dead point is empty.
    Score score(std::span<const int> dead = {}) const;
    /// The result if the game ended here.
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
