#include "rbc/board_search.hpp"

#include <algorithm>
#include <array>

#include "rbc/evaluation.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

constexpr int infinity = 2 * king_score;
/// The number of plies of quiescence in which evasions of an attacked king are searched.
constexpr int max_evasions = 2;
/// The largest best score from which the margin counts: a king capture on one board must not blur the other
/// moves.
constexpr int decisive = 3000;
/// The number of nodes of a quiescence search after which it takes static evaluations. Boards with many
/// queens would need millions, and a player's time.
constexpr std::uint64_t max_quiescence_nodes = 1000;
/// The margin of delta pruning beyond the captured piece.
constexpr int delta_margin = 120;

int piece_value_at(const Board& b, Square s) {
    if (!(b.occupied() & bit(s))) return 0;
    return piece_value[static_cast<std::size_t>(b.type_at(s))];
}

/// Move ordering: captured piece and promotion, then the least valuable attacker.
int mvv_lva(const Board& b, Move move) {
    const int victim = piece_value_at(b, to_square(move));
    int result = victim ? 16 * victim - piece_value_at(b, from_square(move)) + 6000 : 0;
    if (const int promoted = promotion(move)) result += piece_value[static_cast<std::size_t>(promoted)] * 16;
    return result;
}

void sort_by_capture_order(const Board& b, MoveList& list) {
    std::array<int, MoveList::capacity> orders;
    for (std::size_t i = 0; i < list.size(); ++i) orders[i] = mvv_lva(b, list[i]);
    // Insertion sort: most moves are quiet and stay in place.
    for (std::size_t i = 1; i < list.size(); ++i) {
        for (std::size_t j = i; j > 0 && orders[j - 1] < orders[j]; --j) {
            std::swap(orders[j - 1], orders[j]);
            std::swap(list.begin()[j - 1], list.begin()[j]);
        }
    }
}

void move_to_front(MoveList& list, Move move) {
    const auto found = std::find(list.begin(), list.end(), move);
    if (found != list.end()) std::rotate(list.begin(), found, found + 1);
}

/// Captures and promotions to a queen.
void noisy_moves(const Board& b, MoveList& list) {
    const Color us = b.side();
    const Bitboard occupied = b.occupied(), others = b.colors[~us];
    const int step = us == white ? 8 : -8;
    for (Bitboard from = b.pieces(us, pawn); from;) {
        const Square s = pop_lsb(from);
        Bitboard targets = pawn_attacks(us, s) & others;
        if ((bit(s + step) & back_ranks) && !(bit(s + step) & occupied)) targets |= bit(s + step);
        while (targets) {
            const Square to = pop_lsb(targets);
            list.push(make_move(s, to, bit(to) & back_ranks ? queen : 0));
        }
    }
    for (Bitboard from = b.colors[us] & ~b.types[pawn]; from;) {
        const Square s = pop_lsb(from);
        Bitboard targets = 0;
        switch (b.type_at(s)) {
            case knight: targets = knight_attacks(s); break;
            case bishop: targets = bishop_attacks(s, occupied); break;
            case rook: targets = rook_attacks(s, occupied); break;
            case queen: targets = bishop_attacks(s, occupied) | rook_attacks(s, occupied); break;
            default: targets = king_attacks(s);
        }
        for (targets &= others; targets;) list.push(make_move(s, pop_lsb(targets)));
    }
}

}  // namespace

std::vector<ScoredMove> BoardSearch::analyse(const Board& board) {
    MoveList list;
    pseudo_legal(board, list);
    sort_by_capture_order(board, list);
    list.push(pass);
    std::vector<ScoredMove> result;
    int best = -infinity;
    for (const Move move : list) {
        if (move != pass && (board.pieces(~board.side(), king) & bit(to_square(move)))) {
            result.push_back({move, king_score});
            continue;
        }
        Board next = board;
        apply(next, move);
        const int score = -search(next, depth_ - 1, 1, -infinity, std::min(infinity, margin_ + 1 - best));
        best = std::max(best, std::min(score, decisive));
        result.push_back({move, score});
    }
    std::sort(result.begin(), result.end(),
              [](const ScoredMove& a, const ScoredMove& b) { return a.move < b.move; });
    return result;
}

int BoardSearch::score(const Board& board) { return search(board, depth_, 0, -infinity, infinity); }

int BoardSearch::search(const Board& board, int depth, int ply, int alpha, int beta) {
    if (depth <= 0) {
        last_quiescence_node_ = nodes_ + max_quiescence_nodes;
        return quiesce(board, max_evasions, ply, alpha, beta);
    }
    ++nodes_;
    const Color us = board.side();
    if (!board.pieces(us, king)) return ply - king_score;
    if (attacks_king(board, us)) return king_score - ply;
    MoveList list;
    pseudo_legal(board, list);
    if (list.empty()) list.push(pass);
    sort_by_capture_order(board, list);
    auto& killers = killers_[static_cast<std::size_t>(std::min(ply, max_ply - 1))];
    for (const Move killer : killers) move_to_front(list, killer);
    int best = -infinity;
    for (const Move move : list) {
        Board next = board;
        apply(next, move);
        best = std::max(best, -search(next, depth - 1, ply + 1, -beta, -alpha));
        alpha = std::max(alpha, best);
        if (alpha < beta) continue;
        if (move != killers[1]) killers = {killers[1], move};
        break;
    }
    return best;
}

int BoardSearch::quiesce(const Board& board, int evasions, int ply, int alpha, int beta) {
    ++nodes_;
    const Color us = board.side();
    if (!board.pieces(us, king)) return ply - king_score;
    if (attacks_king(board, us)) return king_score - ply;
    if (ply >= max_ply || nodes_ >= last_quiescence_node_) return evaluate(board);
    const bool in_check = evasions > 0 && attacks_king(board, ~us);
    const int stand_pat = evaluate(board);
    int best = in_check ? -infinity : stand_pat;
    alpha = std::max(alpha, best);
    if (alpha >= beta) return best;
    MoveList list;
    if (in_check) {
        pseudo_legal(board, list);
        if (list.empty()) list.push(pass);
    } else {
        noisy_moves(board, list);
    }
    sort_by_capture_order(board, list);
    for (const Move move : list) {
        if (!in_check && !promotion(move) &&
            stand_pat + piece_value_at(board, to_square(move)) + delta_margin <= alpha)
            continue;
        Board next = board;
        apply(next, move);
        best = std::max(best, -quiesce(next, evasions - in_check, ply + 1, -beta, -alpha));
        alpha = std::max(alpha, best);
        if (alpha >= beta) break;
    }
    return best;
}

}  // namespace sparring::rbc
