// What every request brings on every board that is possible.
#pragma once

#include <cstdint>
#include <vector>

#include "rbc/board_search.hpp"
#include "rbc/board_set.hpp"

namespace sparring::rbc {

/// What a request comes to on a board.
struct RequestEvaluation {
    std::int32_t score;  // hundredths of a pawn, as if the board were known to both
    bool attacks;        // whether the other king is attacked afterwards, and the own king is not
};

struct RequestEvaluations {
    std::vector<Move> requests;                  // in ascending order, the pass among them
    std::vector<RequestEvaluation> evaluations;  // [boards, requests]
};

/// Searches each board, which the player is to move on, `depth` plies deep and on through captures.
RequestEvaluations evaluate_requests(const BoardSet& boards, int depth, int margin, unsigned threads);

}  // namespace sparring::rbc
