#include "rbc/hidden.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

std::uint8_t rights_of(Color color) {
    return static_cast<std::uint8_t>(color == white ? white_short | white_long : black_short | black_long);
}

/// The en passant square of a pawn that has just made a double step.
Square behind(Square pawn, Color owner) { return owner == white ? pawn - 8 : pawn + 8; }

Board own_board(const KnownSide& known) { return keyless_board(known, {}); }

}  // namespace

KnownSide KnownSide::after_opponent(std::optional<Square> captured) const {
    KnownSide next = *this;
    if (captured) {
        for (Bitboard& pieces : next.types) pieces &= ~bit(*captured);
        const int home = player == white ? 0 : 56, shift = player == white ? 0 : 2;
        if (*captured == home + 7) next.castling &= static_cast<std::uint8_t>(~(white_short << shift));
        if (*captured == home) next.castling &= static_cast<std::uint8_t>(~(white_long << shift));
        if (*captured == home + 4) next.castling = 0;
    }
    next.en_passant = no_square;
    next.fullmove_number = static_cast<std::uint16_t>(next.fullmove_number + (turn == black));
    next.turn = player;
    return next;
}

KnownSide KnownSide::after_move(Move taken) const {
    Board board = own_board(*this);
    rbc::apply(board, taken);
    return known_side(board, player);
}

KnownSide known_side(const Board& board, Color player) {
    KnownSide known;
    for (int t = 0; t < 6; ++t) known.types[t] = board.types[t] & board.colors[player];
    known.player = player;
    known.turn = board.side();
    known.castling = board.castling & rights_of(player);
    known.en_passant = board.side() == player ? no_square : board.en_passant;
    known.fullmove_number = board.fullmove_number;
    return known;
}

HiddenSide hidden_side(const Board& board, Color player) {
    const Color other = ~player;
    HiddenSide hidden;
    for (int t = 0; t < 6; ++t)
        hidden = hidden.toggled(hidden_code(t), board.pieces(other, static_cast<PieceType>(t)));
    const int home = other == white ? 0 : 56, shift = other == white ? 0 : 2;
    Bitboard rooks = 0;
    if (board.castling & white_short << shift) rooks |= bit(home + 7);
    if (board.castling & white_long << shift) rooks |= bit(home);
    hidden = hidden.toggled(HiddenSide::a_rook ^ HiddenSide::special, rooks);
    if (board.side() == player && board.en_passant != no_square) {
        const Square pawn = board.en_passant + (other == white ? 8 : -8);
        hidden = hidden.toggled(HiddenSide::a_pawn ^ HiddenSide::special, bit(pawn));
    }
    return hidden;
}

HiddenSide after_own_move(const HiddenSide& hidden, std::optional<Square> captured) {
    const HiddenSide left = captured ? hidden.without(bit(*captured)) : hidden;
    if (!left.kings()) return left.plain();  // no castling without a king
    return left.toggled(HiddenSide::a_pawn ^ HiddenSide::special, left.passing_pawns());
}

Board keyless_board(const KnownSide& known, const HiddenSide& hidden) {
    const Color other = known.opponent();
    Board board;
    board.types = known.types;
    board.types[pawn] |= hidden.pawns();
    board.types[knight] |= hidden.knights();
    board.types[bishop] |= hidden.bishops();
    board.types[rook] |= hidden.rooks();
    board.types[queen] |= hidden.queens();
    board.types[king] |= hidden.kings();
    board.colors[known.player] = known.all();
    board.colors[other] = hidden.all();
    board.turn = static_cast<std::uint8_t>(known.turn);
    board.fullmove_number = known.fullmove_number;
    board.castling = known.castling;
    const int shift = other == white ? 0 : 2;
    const Bitboard rooks = hidden.castling_rooks();
    if (rooks & file_mask(7)) board.castling |= static_cast<std::uint8_t>(white_short << shift);
    if (rooks & file_mask(0)) board.castling |= static_cast<std::uint8_t>(white_long << shift);
    board.en_passant = known.en_passant;
    if (const Bitboard passing = hidden.passing_pawns())
        board.en_passant = static_cast<std::int8_t>(behind(lsb(passing), other));
    return board;
}

Board whole_board(const KnownSide& known, const HiddenSide& hidden) {
    Board board = keyless_board(known, hidden);
    board.key = board.compute_key();
    return board;
}

}  // namespace sparring::rbc
