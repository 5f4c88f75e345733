// Bitboards of the 9x9 board in two words, and piece attacks.
//
// A square is file * 9 + rank: 1a = 0, 1i = 8, 9i = 80, so a file is nine neighbouring bits. The low
// word holds files 1 to 7, the high word files 8 and 9; no file is split between the words.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace sparring::shogi {

using Square = int;
constexpr int num_squares = 81;

constexpr int file_of(Square s) { return s / 9; }  // 0 for file 1
constexpr int rank_of(Square s) { return s % 9; }  // 0 for rank a

enum Color : int { black = 0, white = 1 };
constexpr Color operator~(Color c) { return c == black ? white : black; }

/// Types below `gold` promote by adding `promotion`; types up to `gold` can be in hand.
enum PieceType : int {
    pawn,
    lance,
    knight,
    silver,
    bishop,
    rook,
    gold,
    king,
    tokin,
    promoted_lance,
    promoted_knight,
    promoted_silver,
    horse,
    dragon,
};
constexpr int num_piece_types = 14;
constexpr int num_hand_types = 7;
constexpr int promotion = 8;

struct Bitboard {
    std::uint64_t lo = 0;  // 63 bits
    std::uint64_t hi = 0;  // 18 bits

    constexpr explicit operator bool() const { return (lo | hi) != 0; }
    constexpr bool operator==(const Bitboard&) const = default;
    constexpr bool has(Square s) const { return (s < 63 ? lo >> s : hi >> (s - 63)) & 1; }

    constexpr Bitboard& operator|=(Bitboard b) { return *this = {lo | b.lo, hi | b.hi}; }
    constexpr Bitboard& operator^=(Bitboard b) { return *this = {lo ^ b.lo, hi ^ b.hi}; }
};

constexpr Bitboard operator|(Bitboard a, Bitboard b) { return {a.lo | b.lo, a.hi | b.hi}; }
constexpr Bitboard operator&(Bitboard a, Bitboard b) { return {a.lo & b.lo, a.hi & b.hi}; }
constexpr Bitboard operator^(Bitboard a, Bitboard b) { return {a.lo ^ b.lo, a.hi ^ b.hi}; }
/// The squares of `a` that are not in `b`.
constexpr Bitboard operator-(Bitboard a, Bitboard b) { return {a.lo & ~b.lo, a.hi & ~b.hi}; }

constexpr Bitboard bit(Square s) {
    return s < 63 ? Bitboard{std::uint64_t{1} << s, 0} : Bitboard{0, std::uint64_t{1} << (s - 63)};
}

/// One square of every file in each word: multiplying by it copies nine bits to every file.
constexpr std::uint64_t every_file_lo = 0x0040201008040201ULL;
constexpr std::uint64_t every_file_hi = 0x0201ULL;

constexpr Bitboard rank_mask(int rank) { return {every_file_lo << rank, every_file_hi << rank}; }
constexpr Bitboard file_mask(int file) {
    return file < 7 ? Bitboard{0x1FFULL << (9 * file), 0} : Bitboard{0, 0x1FFULL << (9 * (file - 7))};
}
constexpr Bitboard whole_board{(std::uint64_t{1} << 63) - 1, (std::uint64_t{1} << 18) - 1};

/// The `depth` ranks farthest from `c`.
constexpr Bitboard last_ranks(Color c, int depth) {
    Bitboard result;
    for (int i = 0; i < depth; ++i) result |= rank_mask(c == black ? i : 8 - i);
    return result;
}
/// The promotion zone of `c`, which its king must have entered to declare a win.
constexpr Bitboard promotion_zone(Color c) { return last_ranks(c, 3); }

constexpr int count(Bitboard b) { return std::popcount(b.lo) + std::popcount(b.hi); }
constexpr bool several(Bitboard b) { return count(b) > 1; }
/// The lowest square of a set that is not empty.
constexpr Square lsb(Bitboard b) { return b.lo ? std::countr_zero(b.lo) : 63 + std::countr_zero(b.hi); }

/// Calls `visit` with every square in ascending order.
template <class Visit>
void for_each(Bitboard b, Visit visit) {
    for (; b.lo; b.lo &= b.lo - 1) visit(Square{std::countr_zero(b.lo)});
    for (; b.hi; b.hi &= b.hi - 1) visit(Square{63 + std::countr_zero(b.hi)});
}

/// One step up the board as `C` sees it, for pieces that are not on its last rank.
template <Color C>
constexpr Bitboard forward(Bitboard b) {
    return C == black ? Bitboard{b.lo >> 1, b.hi >> 1} : Bitboard{b.lo << 1, b.hi << 1};
}

/// The files without a pawn of the set, in full. Each file holds at most one pawn. Subtracting the pawns from
/// the rank-i bits clears the bits of occupied files by the borrow; the remaining bits mark free files.
constexpr Bitboard files_without(Bitboard pawns) {
    constexpr Bitboard bottom = rank_mask(8);
    const Bitboard free{(bottom.lo - pawns.lo) & bottom.lo, (bottom.hi - pawns.hi) & bottom.hi};
    return {free.lo | (free.lo - (free.lo >> 8)), free.hi | (free.hi - (free.hi >> 8))};
}

/// A diagonal through a square, and the same with the files folded together as `fold` does.
struct Diagonal {
    Bitboard squares;
    std::uint64_t folded = 0;
};

struct Tables {
    /// The reach of a slider at index `i` of a line of nine squares, by the occupancy of the inner seven.
    std::array<std::array<std::uint16_t, 128>, 9> line{};
    /// Steps and jumps of each type; empty for pure sliders.
    std::array<std::array<std::array<Bitboard, num_squares>, num_piece_types>, 2> steps{};
    std::array<Diagonal, num_squares> rising{};   // file and rank grow together
    std::array<Diagonal, num_squares> falling{};  // rank falls as file grows
    /// Attacks of rook, bishop and lance on an empty board.
    std::array<Bitboard, num_squares> straight{};
    std::array<Bitboard, num_squares> diagonal{};
    std::array<std::array<Bitboard, num_squares>, 2> ahead{};
    /// Squares from which a step or a jump reaches the square or one of its neighbours.
    std::array<Bitboard, num_squares> near{};
    /// The squares between two squares on a line, excluding both.
    std::array<std::array<Bitboard, num_squares>, num_squares> between{};

    Tables();
};

extern const Tables tables;

inline Bitboard steps(Color c, int type, Square s) { return tables.steps[c][type][s]; }
inline Bitboard king_steps(Square s) { return tables.steps[black][king][s]; }
inline Bitboard between(Square a, Square b) { return tables.between[a][b]; }

/// Sliding attacks: a multiplication gathers the occupancy of a line into seven bits, a table gives the
/// reach, which is spread over the line again. Edge squares do not block, so file 8 can take the place of
/// file 1, and the inner board fits in one word.
constexpr std::uint64_t fold(Bitboard b) { return (b.lo & ~0x1FFULL) | (b.hi & 0x1FF); }

inline Bitboard file_attacks(Square s, Bitboard occupied) {
    const int file = file_of(s);
    const bool high = file >= 7;
    const int shift = 9 * (high ? file - 7 : file);
    const std::uint64_t word = high ? occupied.hi : occupied.lo;
    const std::uint64_t reach = tables.line[rank_of(s)][word >> (shift + 1) & 127];
    return high ? Bitboard{0, reach << shift} : Bitboard{reach << shift, 0};
}

inline Bitboard rank_attacks(Square s, Bitboard occupied) {
    // Bit 9f of the masked word goes to bit 56 + f, and bit 0 (file 8) to bit 63.
    constexpr std::uint64_t gather = 0x8001010101010100ULL;
    constexpr std::uint64_t spread = 0x0001010101010101ULL;
    const int rank = rank_of(s);
    const std::uint64_t index = ((fold(occupied) >> rank & every_file_lo) * gather) >> 57;
    const std::uint64_t reach = tables.line[file_of(s)][index];
    return {((reach & 127) * spread & every_file_lo) << rank, ((reach >> 7 & 1) | (reach >> 8 & 1) << 9)
                                                                  << rank};
}

inline Bitboard diagonal_attacks(const Diagonal& d, Square s, std::uint64_t folded) {
    // A diagonal has one square a rank: adding up the files gives its occupation by rank.
    const std::uint64_t index = ((folded & d.folded) * every_file_lo) >> 55 & 127;
    const std::uint64_t reach = tables.line[rank_of(s)][index];
    return Bitboard{reach * every_file_lo, reach * every_file_hi} & d.squares;
}

inline Bitboard lance_attacks(Color c, Square s, Bitboard occupied) {
    return file_attacks(s, occupied) & tables.ahead[c][s];
}
inline Bitboard rook_attacks(Square s, Bitboard occupied) {
    return file_attacks(s, occupied) | rank_attacks(s, occupied);
}
inline Bitboard bishop_attacks(Square s, Bitboard occupied) {
    const std::uint64_t folded = fold(occupied);
    return diagonal_attacks(tables.rising[s], s, folded) | diagonal_attacks(tables.falling[s], s, folded);
}

/// The squares that a piece attacks.
inline Bitboard attacks(Color c, int type, Square s, Bitboard occupied) {
    const Bitboard near = steps(c, type, s);
    switch (type) {
        case lance: return lance_attacks(c, s, occupied);
        case bishop:
        case horse: return near | bishop_attacks(s, occupied);
        case rook:
        case dragon: return near | rook_attacks(s, occupied);
        default: return near;
    }
}

}  // namespace sparring::shogi
