// Evaluates every request on every possible board.
#pragma once

#include <cstdint>
#include <vector>

#include "rbc/board_search.hpp"
#include "rbc/board_set.hpp"

namespace sparring::rbc {

/// The evaluation of a request on a board.
struct RequestEvaluation {
    std::int32_t score;  // centipawns, as if both players knew the board
    bool attacks;        // whether it attacks the opponent's king and leaves the own king safe
};

struct RequestEvaluations {
    std::vector<Move> requests;                  // in ascending order, including the pass
    std::vector<RequestEvaluation> evaluations;  // [boards, requests]
};

/// Searches each board, with the player to move, to `depth` plies plus quiescence.
RequestEvaluations evaluate_requests(const BoardSet& boards, int depth, int margin, unsigned threads);

}  // namespace sparring::rbc
