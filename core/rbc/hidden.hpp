// A board as one player has it in mind: its own side, which it always knows, and the other side, which it
// does not. All boards that are possible for a player share the first, so that a set of them needs to keep
// only the second: 24 bytes a board.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "chess/board.hpp"
#include "rbc/position.hpp"

namespace sparring::rbc {

/// What the player knows for certain.
struct KnownSide {
    std::array<Bitboard, 6> types{};  // its own pieces
    chess::Color player = chess::white;
    chess::Color turn = chess::white;
    std::uint8_t castling = 0;                  // its own rights, as in Board
    std::int8_t en_passant = chess::no_square;  // behind its own pawn that has just stepped twice
    std::uint16_t fullmove_number = 1;

    bool operator==(const KnownSide&) const = default;
    Bitboard all() const { return types[0] | types[1] | types[2] | types[3] | types[4] | types[5]; }
    chess::Color opponent() const { return ~player; }

    /// Without the piece that the opponent captured, the opponent's move being over.
    KnownSide after_opponent(std::optional<Square> captured) const;
    /// After the player's own move (or pass), which must be one that it may make.
    KnownSide after_move(Move taken) const;
};

/// The other side's pieces: three bits a square, a number from 0 (nothing) to 7. Number 7 is a rook that may
/// still castle where it stands on a back rank, elsewhere a pawn that has just stepped twice: in this way
/// equal bits mean equal boards, castling rights and en passant included.
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

    /// The pieces as they look: without castling rights and en passant.
    HiddenSide plain() const {
        const Bitboard s = specials();
        return {low ^ (s & chess::back_ranks), middle ^ s, high ^ (s & ~chess::back_ranks)};
    }
    /// Adds a piece to (or removes it from) all these squares.
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

/// The code of a piece type on a square where it has nothing special.
constexpr int hidden_code(int type) { return type + 1; }

KnownSide known_side(const Board& board, chess::Color player);
HiddenSide hidden_side(const Board& board, chess::Color player);

/// The board of both sides, without its key.
Board keyless_board(const KnownSide& known, const HiddenSide& hidden);
/// The whole board. The counter of reversible moves, which nobody can know, is 0.
Board whole_board(const KnownSide& known, const HiddenSide& hidden);

}  // namespace sparring::rbc
