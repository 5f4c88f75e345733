// The search of chess lines behind reviews and problems: alpha-beta with the network of value_network.hpp.
//
// Alpha-beta of core/search is generic; this one has what only chess needs: the null move, the exchange on a
// square, quiet checks, sums of a network that follow the moves. Mates that it reports are proven: at a node
// whose moves all lose, none is left out.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chess/position.hpp"
#include "chess/value_network.hpp"
#include "search/evaluator.hpp"
#include "search/limits.hpp"
#include "search/ordered_moves.hpp"
#include "search/transposition_table.hpp"

namespace sparring::chess {

/// Centipawns that the mover wins by the exchanges on the target square after a move, both sides taking with
/// the least valuable piece as long as that pays. Pins are not seen.
int exchange_value(const Board& board, Move move);

/// A line of best play.
struct Line {
    std::vector<Move> moves;
    /// Centipawns for the side to move; search::win_score less the plies to a mate.
    int score = 0;
};

struct LineResult {
    std::vector<Line> lines;  // best first, each with another first move
    int depth = 0;            // of the last finished iteration
    std::uint64_t nodes = 0;
};

class LineSearch {
 public:
    /// `bytes` is the size of the transposition table.
    LineSearch(ValueNetwork network, std::size_t bytes);

    /// Searches the `lines` best moves of a position, among `only` unless that is empty. The table is kept
    /// from search to search: the result depends on the searches since `clear`. There is a legal move.
    LineResult search(const Node<Position>& node, const search::Limits& limits, int lines,
                      std::span<const Move> only);
    void clear();
    /// Ends the search of another thread.
    void stop() { stop_.store(true); }
    /// The network's centipawns for the side to move, without search.
    int evaluate(const Board& board) const;

 private:
    static constexpr int plies = search::max_ply + 2;
    static constexpr int infinity = 2 * search::win_score;
    using Continuations = std::array<std::array<std::int16_t, 768>, 768>;

    struct Frame {
        Position position;
        ValueNetwork::Accumulator sums;
        bool has_sums = false;
        bool check = false;
        int evaluation = 0;
        int moved = 0;  // the last move's piece and target, an index of continuations
        Move move = 0;
        int repeatable = 0;  // earliest ply of the path whose position can recur
        std::array<Move, 2> killers{};
        std::array<Move, plies> pv{};
        std::size_t pv_length = 0;
    };

    int search_root(int depth, int alpha, int beta, std::span<const Move> moves);
    int search(int depth, int ply, int alpha, int beta, bool may_pass);
    int quiesce(int ply, int alpha, int beta);
    void step(int ply, Move move);
    bool stopped();
    bool is_draw(int ply) const;
    int evaluate(int ply);
    void order(int ply, Move first, search::OrderedMoves& moves) const;
    void reward(int ply, Move best, std::span<const Move> quiets, int depth);
    void update_pv(int ply, Move move);
    void store(int ply, Move move, search::Bound bound, int depth, int score);

    ValueNetwork network_;
    search::TranspositionTable table_;
    std::atomic<bool> stop_{false};
    std::vector<Frame> frames_;
    std::vector<std::uint64_t> played_;  // keys before the root that can recur
    std::array<std::array<std::int16_t, 64 * 64>, 2> history_{};
    std::unique_ptr<Continuations> continuations_;
    search::SearchStopper* stopper_ = nullptr;
    std::uint64_t nodes_ = 0;
    bool may_stop_ = false, stopped_ = false;
};

}  // namespace sparring::chess
