#include "rbc/judge.hpp"

#include <algorithm>
#include <unordered_map>

#include "chess/judge.hpp"

namespace sparring::rbc {

namespace {

/// Chess by RBC's rules with nothing hidden.
struct Known {
    Board board;

    std::uint64_t key() const { return board.key; }
    void moves(MoveList& list) const {
        if (!board.pieces(board.side(), chess::king)) return;
        pseudo_legal(board, list);
        list.push(pass);
    }
    void play(Move m) { apply(board, m); }
};

}  // namespace

}  // namespace sparring::rbc

template <>
struct sparring::search::Pieces<sparring::rbc::Known> {
    static int evaluate(const rbc::Known& k) { return chess::evaluate(k.board); }
    static int stuck(const rbc::Known&) { return -win_score; }
    static int urgency(const rbc::Known& k, Move m) {
        return m == rbc::pass ? 0 : chess::urgency(k.board, m);
    }
};

namespace sparring::rbc {

std::vector<MeanScore> judge_requests(const std::vector<Board>& boards, std::uint64_t nodes) {
    // A lost king must not drown everything else, nor a won one: a few queens are enough.
    constexpr int worst = 4000;
    std::unordered_map<Move, double> totals;
    MoveList list;
    for (const Board& board : boards) {
        const Known known{board};
        list.clear();
        known.moves(list);
        std::unordered_map<Move, int> scores;
        for (const auto& [move, score] : search::count_pieces(known, list, nodes, 2 * worst)) {
            scores[move] = std::clamp(score, -worst, worst);
        }
        list.clear();
        requests(board, list);
        list.push(pass);
        for (const Move request : list) totals[request] += scores[taken(board, request)];
    }
    std::vector<MeanScore> result;
    for (const auto& [request, total] : totals) {
        result.push_back({request, total / static_cast<double>(boards.size())});
    }
    std::sort(result.begin(), result.end(), [](const MeanScore& a, const MeanScore& b) {
        return a.score != b.score ? a.score > b.score : a.request < b.request;
    });
    return result;
}

}  // namespace sparring::rbc
