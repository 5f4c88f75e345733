// Shogi by the rules of the Japan Shogi Association with the 27-point declaration, over a Board.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "game/state.hpp"
#include "shogi/board.hpp"
#include "shogi/notation.hpp"

namespace sparring::shogi {

/// The planes: [44, 9, 9], seen by the side to move. Own pieces by type, the opponent's; own hand by type as
/// a share of a full set, the opponent's; whether White is to move (its declaration needs a point less);
/// whether the side to move is in check.
constexpr int num_planes = 2 * num_piece_types + 2 * num_hand_types + 2;

/// An upper bound on the occurrences of a position, by a few bits of its key. Captured pieces return by
/// drops, so a position can recur after any number of moves; without this filter every move would search the
/// whole line for repetitions.
class RepetitionFilter {
 public:
    static constexpr unsigned most = 3;  // counts saturate

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

    /// The moves of the pieces, without the declaration of a win.
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

    /// Mate, no legal moves (a loss), a declared win, and the fourth repetition: a draw, unless one side gave
    /// check with every move since the first occurrence, which loses.
    static Outcome outcome(const Node<Position>& node);
    /// The moves of the pieces, and the declaration of a win if it is possible.
    static void legal_moves(const Node<Position>& node, MoveList& list);

 private:
    explicit Position(const Board& board) : board_(board) {}

    /// Whether the position may have occurred often enough for a repetition.
    bool may_repeat() const { return repetition_filter_.count(board_.key) == RepetitionFilter::most; }

    Board board_;
    RepetitionFilter repetition_filter_;  // of the line; not part of the position
};

}  // namespace sparring::shogi
