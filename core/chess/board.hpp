// The board of chess and reconnaissance blind chess: a plain value of 80 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "chess/bitboard.hpp"
#include "game/move.hpp"

namespace sparring::chess {

/// Move code: to-square in bits 0-5, from-square in 6-11, promotion piece in 12-14 (0: none).
constexpr Move make_move(Square from, Square to, int promotion = 0) {
    return static_cast<Move>(to | from << 6 | promotion << 12);
}
constexpr Square to_square(Move m) { return m & 63; }
constexpr Square from_square(Move m) { return m >> 6 & 63; }
constexpr int promotion(Move m) { return m >> 12 & 7; }  // a PieceType from knight to queen, or 0

/// The move on the board with left and right exchanged.
constexpr Move mirrored_move(Move m) { return make_move(from_square(m) ^ 7, to_square(m) ^ 7, promotion(m)); }

/// The null move (a1a1), written 0000: RBC's pass.
constexpr Move null_move = 0;

std::string square_text(Square s);
std::string uci(Move m);

/// Parses a UCI move, which need not be legal. Throws ParseError.
Move parse_uci(std::string_view text);

enum Castling : std::uint8_t { white_short = 1, white_long = 2, black_short = 4, black_long = 8 };

constexpr std::int8_t no_square = -1;
constexpr int no_piece = -1;

struct Board {
    std::array<Bitboard, 6> types{};   // by PieceType, both colours
    std::array<Bitboard, 2> colors{};  // by Color
    std::uint64_t key = 0;             // Zobrist key of pieces, side, castling and en passant
    std::uint16_t halfmove_clock = 0;  // since the last capture or pawn move
    std::uint16_t fullmove_number = 1;
    std::uint8_t turn = white;
    std::uint8_t castling = 0;
    std::int8_t en_passant = no_square;  // the square that a pawn has just passed over

    bool operator==(const Board&) const = default;

    Color side() const { return static_cast<Color>(turn); }
    Bitboard occupied() const { return colors[white] | colors[black]; }
    Bitboard pieces(Color c, PieceType t) const { return colors[c] & types[t]; }

    /// The PieceType on the square, or no_piece.
    int type_at(Square s) const;
    /// FEN's letter for the piece on the square, or 0.
    char symbol_at(Square s) const;

    /// The pieces of `by` that attack the square; `occupied` blocks sliders.
    Bitboard attackers(Square s, Color by, Bitboard occupied) const {
        const Bitboard diagonal = types[bishop] | types[queen], straight = types[rook] | types[queen];
        return colors[by] & ((pawn_attacks(~by, s) & types[pawn]) | (knight_attacks(s) & types[knight]) |
                             (king_attacks(s) & types[king]) | (bishop_attacks(s, occupied) & diagonal) |
                             (rook_attacks(s, occupied) & straight));
    }

    /// Plays a pseudo-legal move. The en passant square is set after every double step, even if no pawn can
    /// capture.
    void apply(Move m);
    /// Plays the null move: clears the en passant square and counts a reversible ply.
    void apply_null();

    void clear_en_passant();
    std::uint64_t compute_key() const;
    /// The key combined with the counters: equal boards have equal hashes.
    std::uint64_t hash() const;

    std::string fen() const;

    /// Reads FEN, or EPD without operations. Checks the form of the fields and the piece counts. Castling
    /// rights and en passant squares that contradict the pieces are dropped, as in python-chess and
    /// Stockfish. Throws ParseError.
    static Board parse(std::string_view fen);

 private:
    void toggle(Color c, int type, Square s);
    void set_castling(std::uint8_t rights);
};

/// The planes of a board, [18, 64], seen by the side to move: own pawns to king, the opponent's; own short
/// and long castling rights, the opponent's; the en passant square; the halfmove clock / 100.
constexpr int board_planes = 18;
void encode(const Board& board, float* planes);

}  // namespace sparring::chess
