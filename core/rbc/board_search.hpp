// A small alpha-beta search by the rules of reconnaissance blind chess on a board that is taken for known:
// no check rules, the king is captured.
#pragma once

#include <cstdint>
#include <vector>

#include "rbc/position.hpp"

namespace sparring::rbc {

/// The score of a captured king; sooner is worth more by one.
constexpr int king_score = 100'000;

struct ScoredMove {
    Move move;
    int score;  // hundredths of a pawn for who moves
};

class BoardSearch {
 public:
    /// Of moves that fall more than `margin` behind the best it is only found out that they do.
    BoardSearch(int depth, int margin) : depth_(depth), margin_(margin) {}

    /// Every move that can happen on the board, and the pass, each looked at `depth` plies deep and on
    /// through captures. In ascending order of the moves.
    std::vector<ScoredMove> analyse(const Board& board);

    std::uint64_t nodes() const { return nodes_; }

 private:
    int search(const Board& board, int depth, int ply, int alpha, int beta);
    int quiesce(const Board& board, int evasions, int ply, int alpha, int beta);

    int depth_, margin_;
    std::uint64_t nodes_ = 0;
};

}  // namespace sparring::rbc
