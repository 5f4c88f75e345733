// Chess as a game: FIDE's rules over a Board.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "chess/board.hpp"
#include "game/state.hpp"

namespace sparring::chess {

/// A legal chess position. The en passant square is kept only while a legal capture exists, so that
/// equal keys mean equal possibilities, as the repetition rule asks.
class Position {
 public:
    Position();  // the initial position
    static Position parse(std::string_view fen);

    const Board& board() const { return board_; }
    std::string text() const { return board_.fen(); }
    Move parse_move(std::string_view text) const { return parse_uci(text); }
    std::string move_text(Move m) const { return uci(m); }
    Player side() const { return board_.turn; }
    std::uint64_t key() const { return board_.key; }
    std::uint64_t hash() const { return board_.hash(); }
    bool operator==(const Position& other) const { return board_ == other.board_; }

    void moves(MoveList& list) const;
    std::uint64_t count() const;
    void play(Move m);
    std::array<std::size_t, 3> shape() const { return {board_planes, 8, 8}; }
    void encode(float* out) const { chess::encode(board_, out); }

    /// The en passant square that the text of this position gave, if the pieces allow that it was jumped
    /// over, legal or not. No part of the position: networks that rebuild the move before it ask.
    Square fen_en_passant() const { return fen_en_passant_; }

    bool in_check() const;
    /// Neither side could mate by any sequence of moves that python-chess would see.
    bool insufficient_material() const;

    /// What ends a game by itself: mate, stalemate, bare kings, 75 moves, the fifth repetition.
    static Outcome outcome(const Node<Position>& node);
    /// What a player may claim: 50 moves or the third repetition.
    static Outcome claimable_draw(const Node<Position>& node);
    static void legal_moves(const Node<Position>& node, MoveList& list) { node.position.moves(list); }

 private:
    explicit Position(const Board& board) : board_(board) {}
    void drop_illegal_en_passant();

    Board board_;
    std::int8_t fen_en_passant_ = no_square;
};

}  // namespace sparring::chess
