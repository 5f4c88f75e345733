// Alpha-beta search on a known board by the rules of reconnaissance blind chess: there is no check, the king
// is captured.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rbc/position.hpp"

namespace sparring::rbc {

/// The score of a captured king, minus the plies until then.
constexpr int king_score = 100'000;

/// The scale of scores as values from -1 to 1: the value of a score is tanh(score / centipawns_of_a_win).
constexpr double centipawns_of_a_win = 500.0;

constexpr int max_ply = 24;

struct ScoredMove {
    Move move;
    int score;  // centipawns for the side to move
};

class BoardSearch {
 public:
    /// Scores more than `margin` below the best are upper bounds.
    BoardSearch(int depth, int margin) : depth_(depth), margin_(margin) {}

    /// Searches every pseudo-legal move and the pass to `depth` plies plus quiescence. Results are in
    /// ascending order of the moves.
    std::vector<ScoredMove> analyse(const Board& board);

    /// The score of the side to move after a search of `depth` plies plus quiescence.
    int score(const Board& board);

    std::uint64_t nodes() const { return nodes_; }

 private:
    int search(const Board& board, int depth, int ply, int alpha, int beta);
    int quiesce(const Board& board, int evasions, int ply, int alpha, int beta);

    int depth_, margin_;
    std::uint64_t nodes_ = 0, last_quiescence_node_ = 0;
    /// The last two moves that caused a cutoff at each ply, the last one behind.
    std::array<std::array<Move, 2>, max_ply> killers_{};
};

}  // namespace sparring::rbc
