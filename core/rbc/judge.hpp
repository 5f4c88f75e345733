// How good a request is when the board is not known: its mean over the boards that are possible.
#pragma once

#include <vector>

#include "rbc/boards.hpp"
#include "search/pieces.hpp"

namespace sparring::rbc {

/// A request with its mean score (hundredths of a pawn) over the boards looked at.
struct MeanScore {
    Move request;
    double score;
};

/// Searches each board as if it were known to both (king capture wins, no checks), `nodes` each,
/// and averages what every request would bring. Best first.
std::vector<MeanScore> judge_requests(const std::vector<Board>& boards, std::uint64_t nodes);

}  // namespace sparring::rbc
