#include "rbc/board_search.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

#include "game/parallel.hpp"

namespace sparring::rbc {

using namespace chess;

// The static evaluation.

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

// Alpha-beta.

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
    const auto place = std::find(list.begin(), list.end(), move);
    if (place != list.end()) std::rotate(list.begin(), place, place + 1);
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

// Requests on all possible boards.

namespace {

RequestEvaluation evaluate_request(const Board& board, const ScoredMove& scored) {
    Board next = board;
    apply(next, scored.move);
    const Color us = board.side();
    return {scored.score, attacks_king(next, us) && !attacks_king(next, ~us)};
}

void evaluate_board(const Board& board, const std::vector<Move>& requests, BoardSearch search,
                    RequestEvaluation* out) {
    const std::vector<ScoredMove> scored = search.analyse(board);
    std::vector<RequestEvaluation> evaluations;
    for (const ScoredMove& move : scored) evaluations.push_back(evaluate_request(board, move));
    for (const Move request : requests) {
        const Move result = taken(board, request);
        const auto place = std::lower_bound(scored.begin(), scored.end(), result,
                                            [](const ScoredMove& s, Move move) { return s.move < move; });
        // The pass comes first; requests that are no move of the board become a pass.
        const bool happens = place != scored.end() && place->move == result;
        *out++ = evaluations[happens ? static_cast<std::size_t>(place - scored.begin()) : 0];
    }
}

}  // namespace

RequestEvaluations evaluate_requests(const BoardSet& boards, int depth, int margin, unsigned threads) {
    if (boards.known().turn != boards.known().player)
        throw std::invalid_argument("requests can be evaluated only if the player is to move");
    MoveList list;
    requests(keyless_board(boards.known(), {}), list);
    list.push(pass);
    list.sort();
    RequestEvaluations result{{list.begin(), list.end()},
                              std::vector<RequestEvaluation>(boards.size() * list.size())};
    parallel_for(boards.size(), 1, threads, [&](std::size_t i, std::size_t) {
        evaluate_board(boards.board(i), result.requests, BoardSearch(depth, margin),
                       result.evaluations.data() + i * list.size());
    });
    return result;
}

}  // namespace sparring::rbc
