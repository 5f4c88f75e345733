// Sets of squares of the 8x8 board as 64-bit words (a1 = bit 0, h8 = bit 63), and piece attacks.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace sparring::chess {

using Bitboard = std::uint64_t;
using Square = int;

enum Color : int { white = 0, black = 1 };
enum PieceType : int { pawn, knight, bishop, rook, queen, king };

constexpr Color operator~(Color c) { return c == white ? black : white; }

constexpr Bitboard bit(Square s) { return Bitboard{1} << s; }
constexpr int rank_of(Square s) { return s >> 3; }
constexpr int file_of(Square s) { return s & 7; }

constexpr Bitboard rank_mask(int rank) { return 0xFFULL << (8 * rank); }
constexpr Bitboard file_mask(int file) { return 0x0101010101010101ULL << file; }
constexpr Bitboard back_ranks = rank_mask(0) | rank_mask(7);
constexpr Bitboard light_squares = 0x55AA55AA55AA55AAULL;

inline Square lsb(Bitboard b) { return std::countr_zero(b); }

/// Removes and returns the lowest square.
inline Square pop_lsb(Bitboard& b) {
    const Square s = lsb(b);
    b &= b - 1;
    return s;
}

/// All squares one rank forward for `C`.
template <Color C>
constexpr Bitboard forward(Bitboard b) {
    return C == white ? b << 8 : b >> 8;
}

/// Pawn captures towards the a-file and towards the h-file.
template <Color C>
constexpr Bitboard capture_west(Bitboard pawns) {
    pawns &= ~file_mask(0);
    return C == white ? pawns << 7 : pawns >> 9;
}
template <Color C>
constexpr Bitboard capture_east(Bitboard pawns) {
    pawns &= ~file_mask(7);
    return C == white ? pawns << 9 : pawns >> 7;
}

/// Attacks of pawns, knights and kings, and the squares between two squares on a line.
struct StepTables {
    std::array<Bitboard, 64> knight{};
    std::array<Bitboard, 64> king{};
    std::array<std::array<Bitboard, 64>, 2> pawn{};
    std::array<std::array<Bitboard, 64>, 64> between{};  // excluding both ends

    StepTables();
};

/// Attacks of sliders by magic bitboards: a multiplication maps the relevant blockers of a square to an index
/// (the magics are in magics.hpp).
struct SliderTables {
    struct Entry {
        Bitboard mask = 0;
        Bitboard magic = 0;
        const Bitboard* attacks = nullptr;
        int shift = 0;

        Bitboard operator()(Bitboard occupied) const { return attacks[((occupied & mask) * magic) >> shift]; }
    };
    std::array<Entry, 64> rook{};
    std::array<Entry, 64> bishop{};

    SliderTables();
};

extern const StepTables steps;
extern const SliderTables sliders;

inline Bitboard knight_attacks(Square s) { return steps.knight[s]; }
inline Bitboard king_attacks(Square s) { return steps.king[s]; }
inline Bitboard pawn_attacks(Color c, Square s) { return steps.pawn[c][s]; }
inline Bitboard rook_attacks(Square s, Bitboard occupied) { return sliders.rook[s](occupied); }
inline Bitboard bishop_attacks(Square s, Bitboard occupied) { return sliders.bishop[s](occupied); }
inline Bitboard between(Square a, Square b) { return steps.between[a][b]; }

}  // namespace sparring::chess
