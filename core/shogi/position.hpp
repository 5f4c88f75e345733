// Shogi as a game: the Japan Shogi Association's rules over a Board, with the 27-point declaration.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "game/state.hpp"
#include "shogi/board.hpp"
#include "shogi/notation.hpp"

namespace sparring::shogi {

/// The encoding: 44 planes of 9 ranks by 9 files as the side to move sees the board from below. Own
/// and then the other side's pieces by Kind; own and the other side's hands by Kind, over a full set;
/// whether the side to move is White (whose declaration needs a point less); whether it is in check.
constexpr int num_planes = 2 * num_piece_types + 2 * num_hand_types + 2;

/// How often positions may have come up so far, by a few bits of their key: never less than they did.
/// Captures and drops let a position come back after any number of moves, so that without this filter
/// every move would search the whole line for repetitions.
class RepetitionFilter {
 public:
    static constexpr unsigned most = 3;  // counts stop here

    void add(std::uint64_t key) {
        if (count(key) < most) words_[word(key)] += std::uint64_t{1} << shift(key);
    }
    unsigned count(std::uint64_t key) const {
        return static_cast<unsigned>(words_[word(key)] >> shift(key) & 3);
    }

 private:
    static std::size_t word(std::uint64_t key) { return key >> 61; }
    static unsigned shift(std::uint64_t key) { return static_cast<unsigned>(key & 31) * 2; }

    std::array<std::uint64_t, 8> words_{};
};

/// A legal shogi position. After a declared win it has no moves.
class Position {
 public:
    Position();  // the initial position
    static Position parse(std::string_view text) { return Position(parse_sfen(text)); }

    const Board& board() const { return board_; }
    std::string text() const { return sfen(board_); }
    Move parse_move(std::string_view text) const { return parse_usi(text); }
    std::string move_text(Move m) const { return usi(m); }
    Player side() const { return board_.turn; }
    std::uint64_t key() const { return board_.key; }
    std::uint64_t hash() const { return board_.hash(); }
    bool operator==(const Position& other) const { return board_ == other.board_; }

    /// The moves of the pieces; the declaration of a win is not among them.
    void moves(MoveList& list) const;
    std::uint64_t count() const;
    void play(Move m) {
        repetition_filter_.add(board_.key);
        board_.apply(m);
    }
    std::array<std::size_t, 3> shape() const { return {num_planes, 9, 9}; }
    void encode(float* planes) const;

    bool in_check() const { return board_.in_check(); }
    bool can_declare() const;

    /// Mate, no moves (which loses as well), a declared win, and the fourth repetition: a draw unless
    /// one side gave check with every move since the first of the four, and so loses.
    static Outcome outcome(const Node<Position>& node);
    /// The pieces' moves, and the declaration of a win where it is due.
    static void legal_moves(const Node<Position>& node, MoveList& list);

 private:
    explicit Position(const Board& board) : board_(board) {}

    /// Whether the position may have come up before, as often as a repetition needs.
    bool may_repeat() const { return repetition_filter_.count(board_.key) == RepetitionFilter::most; }

    Board board_;
    RepetitionFilter repetition_filter_;  // since the start of the line; no part of the position
};

}  // namespace sparring::shogi
