// What every request brings on every board that is possible.
#pragma once

#include <cstdint>
#include <vector>

#include "rbc/boards.hpp"
#include "rbc/lookahead.hpp"

namespace sparring::rbc {

/// What a request comes to on a board.
struct Verdict {
    std::int32_t score;  // hundredths of a pawn, as if the board were known to both
    bool attacks;        // whether the other king is attacked afterwards, and the own king is not
};

struct Verdicts {
    std::vector<Move> requests;     // in ascending order, the pass among them
    std::vector<Verdict> verdicts;  // [boards, requests]
};

/// Searches each board, which the player is to move on, `depth` plies deep and on through captures.
Verdicts judge_requests(const Boards& boards, int depth, int margin, unsigned threads);

}  // namespace sparring::rbc
