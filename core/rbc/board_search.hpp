// Evaluation of known boards by the rules of reconnaissance blind chess: a static evaluation, an alpha-beta
// search, and the scores of all requests on all possible boards.
//
// The search is apart from search/alphabeta.hpp because the game is another one: there is no check, the king
// is captured, a pass is a move, and thousands of boards are searched a few plies deep, for which a
// transposition table does not pay.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chess/board.hpp"
#include "rbc/board_set.hpp"
#include "rbc/position.hpp"

namespace sparring::rbc {

/// In centipawns. The value of the king is for move ordering only.
constexpr std::array<int, 6> piece_value = {100, 320, 330, 500, 950, 5000};

/// Material, piece placement, passed pawns and distance to the opponent's king, interpolated between middle
/// game and ending by the remaining pieces. Centipawns for the side to move.
int evaluate(const chess::Board& board);

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
