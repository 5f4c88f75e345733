// Iterative deepening of alpha-beta with several threads. The transposition table is kept from move to move.
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "game/parallel.hpp"
#include "game/state.hpp"
#include "search/alphabeta.hpp"

namespace sparring::search {

/// The result of a search.
struct SearchResult {
    std::vector<ScoredMove> moves;  // best first; scores outside the margin are upper bounds
    std::vector<Move> pv;           // the principal variation
    int depth = 0;                  // of the last finished iteration
    std::uint64_t nodes = 0;        // of all threads
    double seconds = 0.0;
};

/// Searches to depths first, first + 1, ..., depth. `done` is called with each finished depth. Ends early
/// when the best score is a forced end within the depth searched.
template <class A, class SearchState, class Done = decltype([](int) {})>
void iterative_deepening(A& search, const SearchState& root, int depth, std::vector<ScoredMove>& moves,
                         Done done = {}, int first = 1) {
    for (int ply_depth = std::min(first, depth); ply_depth <= depth; ++ply_depth) {
        if (!search.search_root(root, ply_depth, moves)) return;
        done(ply_depth);
        if (moves.empty() || win_score - std::abs(moves.front().score) <= ply_depth) return;
    }
}

template <class P, Evaluator E>
class Searcher {
 public:
    Searcher(E evaluator, std::size_t bytes) : evaluator_(std::move(evaluator)), table_(bytes) {}

    const E& evaluator() const { return evaluator_; }
    /// Replaces the evaluator and clears the table, whose scores are those of the old one.
    void set_evaluator(E evaluator) {
        evaluator_ = std::move(evaluator);
        table_.clear();
    }
    void clear() { table_.clear(); }
    /// Stops the search of another thread.
    void stop() { stop_.store(true); }

    /// Searches a state whose game is not over. With one thread and without a time limit, the result depends
    /// on the calls so far only. `recorder` sees the nodes of the first thread.
    SearchResult search(const Node<P>& node, const Limits& limits, const SearchOptions& options,
                        int threads = 1) {
        NullRecorder recorder;
        return search(node, limits, options, threads, recorder);
    }
    template <class Recorder>
    SearchResult search(const Node<P>& node, const Limits& limits, SearchOptions options, int threads,
                        Recorder& recorder) {
        stop_.store(false);
        table_.new_search();
        const PositionHistory history = history_of(node);
        // Scores of earlier searches do not know that the next repetition is a draw.
        if (E::repetitions_to_draw > 0 && history.max_visits() + 1 >= E::repetitions_to_draw)
            options.use_old_entries = false;
        SearchStopper stopper(limits, stop_);
        const auto root = evaluator_.search_state(node);

        std::atomic<std::uint64_t> helped{0};
        ThreadGroup helpers;
        const StopAtExit stop_helpers{stopper};  // also after an exception
        for (int i = 1; i < threads; ++i) {
            const bool started = helpers.start([&, i] {
                NullRecorder ignored;
                AlphaBeta<E> helper(evaluator_, table_, stopper, history, options, ignored);
                std::vector<ScoredMove> moves = root_moves(root);
                // Every other helper starts a ply deeper, so that threads differ (lazy SMP).
                iterative_deepening(helper, root, stopper.depth(), moves, [](int) {}, 1 + i % 2);
                helped += helper.nodes();
            });
            if (!started) break;
        }
        AlphaBeta<E, Recorder> own(evaluator_, table_, stopper, history, options, recorder);
        SearchResult result;
        result.moves = root_moves(root);
        iterative_deepening(own, root, stopper.depth(), result.moves, [&](int depth) {
            result.depth = depth;
            result.pv.assign(own.pv().begin(), own.pv().end());
        });
        stopper.stop_all();
        helpers.join();
        result.nodes = own.nodes() + helped;
        result.seconds = stopper.seconds();
        return result;
    }

 private:
    struct StopAtExit {
        SearchStopper& stopper;
        ~StopAtExit() { stopper.stop_all(); }
    };

    std::vector<ScoredMove> root_moves(const typename E::SearchState& root) const {
        OrderedMoves moves;
        evaluator_.moves(root, moves);
        std::vector<ScoredMove> result;
        for (std::size_t i = 0; i < moves.size(); ++i) result.push_back({moves.pick(i).move, 0});
        return result;
    }

    static PositionHistory history_of(const Node<P>& node) {
        PositionHistory history;
        if (E::repetitions_to_draw == 0) return history;
        for (const Node<P>* n = &node; n->previous && E::reversible(n->move); n = n->previous.get()) {
            history.add(n->previous->position.key());
        }
        return history;
    }

    E evaluator_;
    TranspositionTable table_;
    std::atomic<bool> stop_{false};
};

}  // namespace sparring::search
