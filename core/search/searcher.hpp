// A search from a game's state: deepening, threads, budget. It keeps its table from move to move.
#pragma once

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "game/state.hpp"
#include "search/alphabeta.hpp"

namespace sparring::search {

/// What a search found.
struct SearchResult {
    std::vector<ScoredMove> moves;  // best first; beyond the margin, scores are upper bounds
    std::vector<Move> pv;           // the principal variation
    int depth = 0;
    std::uint64_t nodes = 0;  // by all threads
    double seconds = 0.0;
};

/// Iterations one ply deeper each; `done` hears of those that were finished. Once the end of the game is in
/// sight deeper ones would only look past it.
template <class A, class SearchState, class Done = decltype([](int) {})>
void iterative_deepening(A& search, const SearchState& root, int depth, std::vector<ScoredMove>& moves,
                         Done done = {}, int first = 1) {
    for (int each = std::min(first, depth); each <= depth; ++each) {
        if (!search.search_root(root, each, moves)) return;
        done(each);
        if (moves.empty() || win_score - std::abs(moves.front().score) <= each) return;
    }
}

template <class P, Evaluator J>
class Searcher {
 public:
    Searcher(J evaluator, std::size_t bytes) : evaluator_(std::move(evaluator)), table_(bytes) {}

    const J& evaluator() const { return evaluator_; }
    /// Another judge has other scores: nothing is remembered.
    void set_evaluator(J evaluator) {
        evaluator_ = std::move(evaluator);
        table_.clear();
    }
    void clear() { table_.clear(); }
    /// Ends the search that another thread is in.
    void stop() { stop_.store(true); }

    /// Searches a state whose game goes on. With one thread, the same calls give the same answers as long as
    /// depth or nodes are the limit.
    template <class Recorder = NullRecorder>
    SearchResult search(const Node<P>& node, const Limits& limits, SearchOptions options, int threads = 1,
                        Recorder recorder = {}) {
        stop_.store(false);
        table_.new_search();
        const PositionHistory history = history_of(node);
        // Scores of earlier searches do not know that a visit more is a draw now.
        if (J::repetitions_to_draw > 0 && history.max_visits() + 1 >= J::repetitions_to_draw)
            options.use_old_entries = false;
        SearchStopper stopper(limits, stop_);
        const auto root = evaluator_.search_state(node);

        std::atomic<std::uint64_t> helped{0};
        std::vector<std::thread> helpers;
        for (int i = 1; i < threads; ++i) {
            helpers.emplace_back([&, i] {
                AlphaBeta<J> helper(evaluator_, table_, stopper, history, options);
                std::vector<ScoredMove> moves = root_moves(root);
                // Every other helper is a ply ahead, so that they do not all do the same at the same time.
                iterative_deepening(helper, root, stopper.depth(), moves, [](int) {}, 1 + i % 2);
                helped += helper.nodes();
            });
        }
        AlphaBeta<J, Recorder> own(evaluator_, table_, stopper, history, options, recorder);
        SearchResult result;
        result.moves = root_moves(root);
        iterative_deepening(own, root, stopper.depth(), result.moves, [&](int depth) {
            result.depth = depth;
            result.pv.assign(own.pv().begin(), own.pv().end());
        });
        stopper.stop_all();
        for (std::thread& helper : helpers) helper.join();
        result.nodes = own.nodes() + helped;
        result.seconds = stopper.seconds();
        return result;
    }

 private:
    std::vector<ScoredMove> root_moves(const typename J::SearchState& root) const {
        OrderedMoves moves;
        evaluator_.moves(root, moves);
        std::vector<ScoredMove> result;
        for (std::size_t i = 0; i < moves.size(); ++i) result.push_back({moves.pick(i).move, 0});
        return result;
    }

    static PositionHistory history_of(const Node<P>& node) {
        PositionHistory history;
        if (J::repetitions_to_draw == 0) return history;
        for (const Node<P>* n = &node; n->previous && J::reversible(n->move); n = n->previous.get()) {
            history.add(n->previous->position.key());
        }
        return history;
    }

    J evaluator_;
    TranspositionTable table_;
    std::atomic<bool> stop_{false};
};

}  // namespace sparring::search
