// Chess by the FIDE laws, over a Board.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "chess/board.hpp"
#include "game/state.hpp"

namespace sparring::chess {

/// A legal chess position and the rule about claimable draws. The en passant square is kept only while a
/// legal capture exists, so that positions with equal keys have the same legal moves, as the repetition rule
/// asks.
///
/// If `claim_draws` is set, a draw that a player may claim (50 moves, third repetition) ends the game. The
/// option is part of the position, so that rules, playouts and searches all see it; `play` keeps it. `text`
/// is plain FEN either way, which every chess program reads. `full_text` adds the word " claim_draws" if the
/// option is set; `parse` reads both.
class Position {
 public:
    /// The initial position.
    explicit Position(bool claim_draws = false);
    /// Reads FEN, or what full_text writes. Throws ParseError.
    static Position parse(std::string_view text);

    const Board& board() const { return board_; }
    bool claim_draws() const { return claim_draws_; }
    void set_claim_draws(bool claim_draws) { claim_draws_ = claim_draws; }
    std::string text() const { return board_.fen(); }
    std::string full_text() const;
    Move parse_move(std::string_view text) const { return parse_uci(text); }
    std::string move_text(Move m) const { return uci(m); }
    Player side() const { return board_.turn; }
    std::uint64_t key() const { return board_.key; }
    std::uint64_t hash() const { return board_.hash(); }
    bool operator==(const Position& other) const {
        return board_ == other.board_ && claim_draws_ == other.claim_draws_;
    }

    void moves(MoveList& list) const;
    std::uint64_t count() const;
    void play(Move m);
    /// Plays the null move, which is no move of chess: searches ask what the opponent could do.
    void pass() { board_.apply_null(); }
    std::array<std::size_t, 3> shape() const { return {board_planes, 8, 8}; }
    void encode(float* out) const { chess::encode(board_, out); }

    /// The en passant square of the FEN, if a pawn can have jumped over it; no_square after `play`. Not part
    /// of the position: encoders use it to reconstruct the last move.
    Square fen_en_passant() const { return fen_en_passant_; }

    bool in_check() const;
    /// Whether neither side has material to mate with, as python-chess decides it.
    bool insufficient_material() const;

    /// Mate, stalemate, insufficient material, 75 moves, the fifth repetition; with claim_draws also what
    /// claimable_draw returns.
    static Outcome outcome(const Node<Position>& node);
    /// The draw that the player to move may claim: 50 moves or the third repetition.
    static Outcome claimable_draw(const Node<Position>& node);
    static void legal_moves(const Node<Position>& node, MoveList& list) { node.position.moves(list); }

 private:
    explicit Position(const Board& board) : board_(board) {}
    void drop_illegal_en_passant();

    Board board_;
    std::int8_t fen_en_passant_ = no_square;
    bool claim_draws_ = false;
};

}  // namespace sparring::chess
