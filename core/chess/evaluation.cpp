#include "chess/evaluation.hpp"

#include <algorithm>
#include <cstdlib>

namespace sparring::chess {

namespace {

/// Closeness to the centre, from 0 at the edge to 6.
int centrality(Square s) {
    const int file = file_of(s), rank = rank_of(s);
    return std::min(file, 7 - file) + std::min(rank, 7 - rank);
}

int placement(PieceType type, Square s, int rank, bool endgame) {
    switch (type) {
        case pawn: return (rank - 1) * (endgame ? 9 : 4) + (centrality(s) > 3 ? 6 * rank : 0) / 2;
        case knight: return 6 * centrality(s) - 18;
        case bishop: return 4 * centrality(s) - 10;
        case rook: return rank == 6 ? 20 : 0;
        case queen: return centrality(s);
        case king:
            if (endgame) return 6 * centrality(s);
            return rank == 0 ? (file_of(s) == 6 || file_of(s) <= 2 ? 30 : 0) : -25 * rank;
    }
    return 0;
}

int side_value(const Board& b, Color c, bool endgame) {
    int total = std::popcount(b.pieces(c, bishop)) >= 2 ? 30 : 0;
    for (const PieceType type : {pawn, knight, bishop, rook, queen, king}) {
        for (Bitboard from = b.pieces(c, type); from;) {
            const Square s = pop_lsb(from);
            const int rank = c == white ? rank_of(s) : 7 - rank_of(s);
            total += piece_values[type] + placement(type, s, rank, endgame);
            if (type == bishop) total += 3 * std::popcount(bishop_attacks(s, b.occupied()));
            if (type == rook) total += 2 * std::popcount(rook_attacks(s, b.occupied()));
        }
    }
    return total;
}

}  // namespace

int evaluate(const Board& board) {
    const Bitboard officers = board.occupied() & ~board.types[pawn] & ~board.types[king];
    const bool endgame = !board.types[queen] || std::popcount(officers) <= 5;
    const Color us = board.side();
    return side_value(board, us, endgame) - side_value(board, ~us, endgame);
}

int mvv_lva(const Board& board, Move move) {
    int result = 0;
    const int victim = board.type_at(to_square(move));
    if (victim != no_piece) result = 10 * (victim == king ? 10000 : piece_values[victim]);
    if (victim != no_piece || to_square(move) == board.en_passant) {
        const int attacker = board.type_at(from_square(move));
        if (victim == no_piece && attacker != pawn) return 0;
        result += 1000 - piece_values[attacker] / 10;
    }
    if (promotion(move) == queen) result += piece_values[queen] * 10;
    return result;
}

}  // namespace sparring::chess
