#include "rbc/evaluation.hpp"

#include <algorithm>
#include <cstdlib>

namespace sparring::rbc {

using namespace chess;

namespace {

struct Tapered {
    int middle = 0, ending = 0;

    constexpr Tapered& operator+=(const Tapered& other) {
        middle += other.middle;
        ending += other.ending;
        return *this;
    }
    constexpr Tapered& operator-=(const Tapered& other) {
        middle -= other.middle;
        ending -= other.ending;
        return *this;
    }
};

/// Closeness to the centre, from 0 at the edge to 6.
constexpr int centrality(Square s) {
    const int file = file_of(s), rank = rank_of(s);
    return std::min(file, 7 - file) + std::min(rank, 7 - rank);
}

/// The value of a piece on a square, as White sees it.
constexpr Tapered piece_square(int type, Square s) {
    const int rank = rank_of(s), centre = centrality(s);
    const bool central_file = file_of(s) == 3 || file_of(s) == 4;
    switch (type) {
        case pawn: return {86 + 4 * rank + (central_file ? 7 * std::min(rank, 4) - 7 : 0), 96 + 9 * rank};
        case knight: return {310 + 8 * centre + (rank == 0 ? -12 : 0), 285 + 7 * centre};
        case bishop: return {330 + 5 * centre + (rank == 0 ? -14 : 0), 305 + 4 * centre};
        case rook: return {470 + (rank == 6 ? 20 : 0) + (central_file ? 8 : 0), 520 + (rank >= 5 ? 8 : 0)};
        case queen: return {960 + centre - (rank >= 2 && rank <= 4 ? 6 : 0), 950 + 5 * centre};
        default: {
            const bool castled = rank == 0 && (file_of(s) >= 6 || file_of(s) <= 2);
            return {castled ? 30 : -14 * rank - (central_file ? 8 : 0), 9 * centre};
        }
    }
}

using Table = std::array<std::array<Tapered, 64>, 6>;

constexpr Table table = [] {
    Table result{};
    for (int type = 0; type < 6; ++type) {
        for (Square s = 0; s < 64; ++s)
            result[static_cast<std::size_t>(type)][static_cast<std::size_t>(s)] = piece_square(type, s);
    }
    return result;
}();

/// The phase of the game, from 0 (an ending) to 24.
int phase(const Board& b) {
    return std::min(24, std::popcount(b.types[knight] | b.types[bishop]) + 2 * std::popcount(b.types[rook]) +
                            4 * std::popcount(b.types[queen]));
}

int distance(Square a, Square b) {
    return std::max(std::abs(file_of(a) - file_of(b)), std::abs(rank_of(a) - rank_of(b)));
}

/// The squares in front of a pawn on its own and the adjacent files.
Bitboard passed_pawn_span(Square s, Color c) {
    const Bitboard file = file_mask(file_of(s));
    const Bitboard files = file | (file & ~file_mask(0)) >> 1 | (file & ~file_mask(7)) << 1;
    const int rank = rank_of(s);
    if (c == white) return rank == 7 ? 0 : files & (~Bitboard{0} << (8 * (rank + 1)));
    return rank == 0 ? 0 : files & (~Bitboard{0} >> (8 * (8 - rank)));
}

/// Pieces near the opponent's king: it is captured without a warning.
int king_tropism(int type, Square s, Square other_king) {
    constexpr std::array<int, 6> weights = {0, 3, 2, 2, 4, 0};
    return weights[static_cast<std::size_t>(type)] * (7 - distance(s, other_king));
}

/// King safety: pawn shield and open files, on which attacks are unseen.
Tapered king_safety(const Board& b, Color c, Square s) {
    const int shield = std::popcount(king_attacks(s) & b.pieces(c, pawn));
    const Bitboard own = b.colors[c];
    const int diagonals = std::popcount(bishop_attacks(s, own) & ~own);
    const int straights = std::popcount(rook_attacks(s, own) & ~own);
    const int attacker_weight = b.pieces(~c, queen) ? 5 : b.pieces(~c, rook) ? 2 : 0;
    return {9 * std::min(shield, 3) - attacker_weight * (diagonals + straights),
            -attacker_weight * (diagonals + straights) / 4};
}

Tapered side_score(const Board& b, Color c) {
    Tapered total;
    const Bitboard other_kings = b.pieces(~c, king), other_pawns = b.pieces(~c, pawn);
    const Square opponent_king = other_kings ? lsb(other_kings) : 28;
    for (int type = pawn; type <= king; ++type) {
        for (Bitboard pieces = b.pieces(c, static_cast<PieceType>(type)); pieces;) {
            const Square s = pop_lsb(pieces), seen = c == white ? s : s ^ 56;
            total += table[static_cast<std::size_t>(type)][static_cast<std::size_t>(seen)];
            const int near = king_tropism(type, s, opponent_king);
            total += {near, 2 * near};
            if (type == pawn && !(passed_pawn_span(s, c) & other_pawns)) {
                const int rank = rank_of(seen);
                total += {2 * rank * rank, 5 * rank * rank};
            }
        }
    }
    if (std::popcount(b.pieces(c, bishop)) >= 2) total += {25, 40};
    if (const Bitboard kings = b.pieces(c, king)) total += king_safety(b, c, lsb(kings));
    return total;
}

}  // namespace

int evaluate(const Board& board) {
    Tapered total = side_score(board, board.side());
    total -= side_score(board, ~board.side());
    const int middle = phase(board);
    return (total.middle * middle + total.ending * (24 - middle)) / 24;
}

}  // namespace sparring::rbc
