// A board in two halves: the side of the player, which it knows, and the hidden side of the opponent. All
// possible boards share the known side, so a set stores the hidden sides only: 24 bytes a board.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "chess/board.hpp"
#include "rbc/position.hpp"

namespace sparring::rbc {

/// The side of the player.
struct KnownSide {
    std::array<Bitboard, 6> types{};  // its own pieces
    chess::Color player = chess::white;
    chess::Color turn = chess::white;
    std::uint8_t castling = 0;                  // own castling rights, as in Board
    std::int8_t en_passant = chess::no_square;  // en passant square of its own last double step
    std::uint16_t fullmove_number = 1;

    bool operator==(const KnownSide&) const = default;
    Bitboard all() const { return types[0] | types[1] | types[2] | types[3] | types[4] | types[5]; }
    chess::Color opponent() const { return ~player; }

    /// The known side after the opponent's move, without the captured piece.
    KnownSide after_opponent(std::optional<Square> captured) const;
    /// The known side after the player's own move or pass.
    KnownSide after_move(Move taken) const;
};

/// The pieces of the opponent: a 3-bit code for each square, 0 for an empty one. Code 7 is a rook with
/// castling rights on a back rank, else a pawn that has just made a double step. Equal bits are thus equal
/// boards, including castling rights and en passant.
struct HiddenSide {
    Bitboard low = 0, middle = 0, high = 0;

    enum Code : int {
        a_pawn = 1,
        a_knight = 2,
        a_bishop = 3,
        a_rook = 4,
        a_queen = 5,
        a_king = 6,
        special = 7
    };

    bool operator==(const HiddenSide&) const = default;
    auto operator<=>(const HiddenSide&) const = default;

    Bitboard all() const { return low | middle | high; }
    Bitboard specials() const { return low & middle & high; }
    Bitboard castling_rooks() const { return specials() & chess::back_ranks; }
    Bitboard passing_pawns() const { return specials() & ~chess::back_ranks; }
    Bitboard pawns() const { return (low & ~middle & ~high) | passing_pawns(); }
    Bitboard knights() const { return ~low & middle & ~high; }
    Bitboard bishops() const { return low & middle & ~high; }
    Bitboard rooks() const { return (~low & ~middle & high) | castling_rooks(); }
    Bitboard queens() const { return low & ~middle & high; }
    Bitboard kings() const { return ~low & middle & high; }

    /// The pieces without castling rights and en passant.
    HiddenSide plain() const {
        const Bitboard s = specials();
        return {low ^ (s & chess::back_ranks), middle ^ s, high ^ (s & ~chess::back_ranks)};
    }
    /// Adds or removes (xor) a piece on all these squares.
    HiddenSide toggled(int code, Bitboard squares) const {
        const auto part = [&](int i) { return code >> i & 1 ? squares : 0; };
        return {low ^ part(0), middle ^ part(1), high ^ part(2)};
    }
    HiddenSide without(Bitboard squares) const {
        return {low & ~squares, middle & ~squares, high & ~squares};
    }
    HiddenSide only(Bitboard squares) const { return {low & squares, middle & squares, high & squares}; }
    bool empty() const { return !all(); }

    std::uint64_t hash() const {
        std::uint64_t h = low * 0x9E3779B97F4A7C15ULL;
        h = (h ^ (h >> 32) ^ middle) * 0xBF58476D1CE4E5B9ULL;
        h = (h ^ (h >> 32) ^ high) * 0x94D049BB133111EBULL;
        return h ^ (h >> 29);
    }
};

/// The code of a piece type without special rights.
constexpr int hidden_code(int type) { return type + 1; }

KnownSide known_side(const Board& board, chess::Color player);
HiddenSide hidden_side(const Board& board, chess::Color player);

/// The hidden side after the player's move, without the captured piece and the right to capture en passant.
HiddenSide after_own_move(const HiddenSide& hidden, std::optional<Square> captured);

/// The board of both sides, without the Zobrist key.
Board keyless_board(const KnownSide& known, const HiddenSide& hidden);
/// The complete board. The halfmove clock, which is unknown, is 0.
Board whole_board(const KnownSide& known, const HiddenSide& hidden);

}  // namespace sparring::rbc
