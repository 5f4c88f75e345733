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
struct Found {
    std::vector<Scored> moves;  // best first; beyond the margin, scores are upper bounds
    std::vector<Move> line;     // the principal variation
    int depth = 0;
    std::uint64_t nodes = 0;  // by all threads
    double seconds = 0.0;
};

/// Iterations one ply deeper each; `done` hears of those that were finished. Once the end of the game is in
/// sight deeper ones would only look past it.
template <class A, class Scene, class Done = decltype([](int) {})>
void deepen(A& search, const Scene& root, int depth, std::vector<Scored>& moves, Done done = {},
            int first = 1) {
    for (int each = std::min(first, depth); each <= depth; ++each) {
        if (!search.search_root(root, each, moves)) return;
        done(each);
        if (moves.empty() || win_score - std::abs(moves.front().score) <= each) return;
    }
}

template <class P, Judging J>
class Searcher {
 public:
    Searcher(J judge, std::size_t bytes) : judge_(std::move(judge)), table_(bytes) {}

    const J& judge() const { return judge_; }
    /// Another judge has other scores: nothing is remembered.
    void set_judge(J judge) {
        judge_ = std::move(judge);
        table_.clear();
    }
    void forget() { table_.clear(); }
    /// Ends the search that another thread is in.
    void stop() { stop_.store(true); }

    /// Searches a state whose game goes on. With one thread, the same calls give the same answers as long as
    /// depth or nodes are the limit.
    template <class Listener = Silence>
    Found search(const Node<P>& node, const Limits& limits, Style style, int threads = 1,
                 Listener listener = {}) {
        stop_.store(false);
        table_.age();
        const Past past = past_of(node);
        // Scores of earlier searches do not know that a visit more is a draw now.
        if (J::visits_to_draw > 0 && past.most() + 1 >= J::visits_to_draw) style.trust_old = false;
        Effort effort(limits, stop_);
        const auto root = judge_.scene(node);

        std::atomic<std::uint64_t> helped{0};
        std::vector<std::thread> helpers;
        for (int i = 1; i < threads; ++i) {
            helpers.emplace_back([&, i] {
                AlphaBeta<J> helper(judge_, table_, effort, past, style);
                std::vector<Scored> moves = root_moves(root);
                // Every other helper is a ply ahead, so that they do not all do the same at the same time.
                deepen(helper, root, effort.depth(), moves, [](int) {}, 1 + i % 2);
                helped += helper.seen();
            });
        }
        AlphaBeta<J, Listener> own(judge_, table_, effort, past, style, listener);
        Found found;
        found.moves = root_moves(root);
        deepen(own, root, effort.depth(), found.moves, [&](int depth) {
            found.depth = depth;
            found.line.assign(own.line().begin(), own.line().end());
        });
        effort.halt();
        for (std::thread& helper : helpers) helper.join();
        found.nodes = own.seen() + helped;
        found.seconds = effort.seconds();
        return found;
    }

 private:
    std::vector<Scored> root_moves(const typename J::Scene& root) const {
        OrderedMoves moves;
        judge_.moves(root, moves);
        std::vector<Scored> result;
        for (std::size_t i = 0; i < moves.size(); ++i) result.push_back({moves.pick(i).move, 0});
        return result;
    }

    static Past past_of(const Node<P>& node) {
        Past past;
        if (J::visits_to_draw == 0) return past;
        for (const Node<P>* n = &node; n->previous && J::reversible(n->move); n = n->previous.get()) {
            past.add(n->previous->position.key());
        }
        return past;
    }

    J judge_;
    Transpositions table_;
    std::atomic<bool> stop_{false};
};

}  // namespace sparring::search
