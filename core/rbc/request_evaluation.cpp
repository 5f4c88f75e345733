#include "rbc/request_evaluation.hpp"

#include <algorithm>
#include <stdexcept>

#include "game/parallel.hpp"

namespace sparring::rbc {

using namespace chess;

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
    for (const ScoredMove& each : scored) evaluations.push_back(evaluate_request(board, each));
    for (const Move request : requests) {
        const Move result = taken(board, request);
        const auto found = std::lower_bound(scored.begin(), scored.end(), result,
                                            [](const ScoredMove& s, Move move) { return s.move < move; });
        // The pass comes first; requests that are no move of the board become a pass.
        const bool happens = found != scored.end() && found->move == result;
        *out++ = evaluations[happens ? static_cast<std::size_t>(found - scored.begin()) : 0];
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
