// Reconnaissance blind chess, exactly as reconchess 1.6.9 plays it.
//
// A turn is two actions: a sense (one of 64 squares, or none), then a move or a pass. The state is the true
// board; `window`, `taken` and `capture_square` give the observations of the players.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chess/board.hpp"
#include "game/state.hpp"

namespace sparring::rbc {

using chess::Bitboard;
using chess::Board;
using chess::Square;

/// Senses have codes of their own above the moves; `pass` is chess's null move.
constexpr Move sense_base = 0x8000;
constexpr Move no_sense = sense_base + 64;
constexpr Move pass = chess::null_move;
constexpr Move make_sense(Square s) { return static_cast<Move>(sense_base + s); }

/// All requests of the player to move ("move_actions"): moves on a board without the opponent's pieces, and
/// all pawn captures. A pawn capture onto the last rank is listed with each promotion and without one. The
/// pass is not included.
void requests(const Board& board, MoveList& list);

/// All pseudo-legal moves of the board; there is no check. The pass is not included.
void pseudo_legal(const Board& board, MoveList& list);

/// The move that a request becomes: sliders capture the first piece on their way, a blocked double step
/// becomes a single step, an impossible move becomes a pass, a missing promotion a queen.
Move taken(const Board& board, Move request);

/// The square on which a taken move captures; for en passant the square of the pawn.
std::optional<Square> capture_square(const Board& board, Move taken);

/// Plays a taken move or pass.
void apply(Board& board, Move taken);

/// Whether a player attacks the other's king.
inline bool attacks_king(const Board& board, chess::Color by) {
    const chess::Bitboard kings = board.pieces(~by, chess::king);
    return kings && board.attackers(chess::lsb(kings), by, board.occupied());
}

/// The 3x3 squares of a sense, clipped at the edge.
Bitboard window(Square centre);

class Position {
 public:
    Position();  // the initial position, White to sense
    static Position parse(std::string_view text);
    explicit Position(const Board& board, bool sensing) : board_(board), sensing_(sensing) {}

    const Board& board() const { return board_; }
    bool sensing() const { return sensing_; }

    /// FEN with the en passant square after every double step, then `sense` or `move`.
    std::string text() const;
    Move parse_move(std::string_view text) const;
    std::string move_text(Move m) const;
    Player side() const { return board_.turn; }
    std::uint64_t key() const { return sensing_ ? board_.key : ~board_.key; }
    std::uint64_t hash() const { return sensing_ ? board_.hash() : ~board_.hash(); }
    bool operator==(const Position&) const = default;

    void moves(MoveList& list) const;
    void play(Move m);

    std::array<std::size_t, 3> shape() const { return {chess::board_planes + 1, 8, 8}; }
    void encode(float* out) const;

    static Outcome outcome(const Node<Position>& node);
    static void legal_moves(const Node<Position>& node, MoveList& list) { node.position.moves(list); }

 private:
    Board board_;
    bool sensing_ = true;
};

}  // namespace sparring::rbc
