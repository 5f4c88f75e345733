#include "rbc/judge.hpp"

#include <algorithm>
#include <stdexcept>

#include "game/parallel.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

bool attacks_king(const Board& b, Color by) {
    const Bitboard kings = b.pieces(~by, king);
    return kings && b.attackers(first(kings), by, b.occupied());
}

Verdict verdict_of(const Board& board, const ScoredMove& scored) {
    Board next = board;
    apply(next, scored.move);
    const Color us = board.side();
    return {scored.score, attacks_king(next, us) && !attacks_king(next, ~us)};
}

void judge_board(const Board& board, const std::vector<Move>& requests, Lookahead lookahead, Verdict* out) {
    const std::vector<ScoredMove> scored = lookahead.analyse(board);
    std::vector<Verdict> verdicts;
    for (const ScoredMove& each : scored) verdicts.push_back(verdict_of(board, each));
    for (const Move request : requests) {
        const Move result = taken(board, request);
        const auto found = std::lower_bound(scored.begin(), scored.end(), result,
                                            [](const ScoredMove& s, Move move) { return s.move < move; });
        // The pass comes first; whatever could not be found comes to nothing too.
        const bool happens = found != scored.end() && found->move == result;
        *out++ = verdicts[happens ? static_cast<std::size_t>(found - scored.begin()) : 0];
    }
}

}  // namespace

Verdicts judge_requests(const Boards& boards, int depth, int margin, unsigned threads) {
    if (boards.known().turn != boards.known().player)
        throw std::invalid_argument("requests are judged when the player is to move");
    MoveList list;
    requests(keyless_board(boards.known(), {}), list);
    list.push(pass);
    list.sort();
    Verdicts result{{list.begin(), list.end()}, std::vector<Verdict>(boards.size() * list.size())};
    in_parallel(boards.size(), 1, threads, [&](std::size_t i, std::size_t) {
        judge_board(boards.board(i), result.requests, Lookahead(depth, margin),
                    result.verdicts.data() + i * list.size());
    });
    return result;
}

}  // namespace sparring::rbc
