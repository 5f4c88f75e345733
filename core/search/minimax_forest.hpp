// Many minimax trees searched in lockstep: each step takes the children of a leaf of every tree and evaluates
// them together. A native evaluation needs no lockstep: `search` then goes through the trees one by one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/minimax_tree.hpp"
#include "search/ownership.hpp"

namespace sparring::search {

template <GamePosition P>
class MinimaxForest {
 public:
    MinimaxForest(const std::vector<State<P>>& roots, const MinimaxConfig& config) {
        for (const State<P>& root : roots) trees.emplace_back(root, config);
    }

    Ownership ownership;
    std::vector<MinimaxTree<P>> trees;

    /// The children to evaluate of the next leaf of every tree with fewer than `evaluations` since its last
    /// move. None: the search is over. Throws std::logic_error while earlier children wait.
    std::vector<State<P>> select(std::uint64_t evaluations) {
        if (!waiting_.empty()) throw std::logic_error("the children that were asked for are not evaluated");
        std::vector<State<P>> children;
        for (MinimaxTree<P>& tree : trees) {
            while (tree.goes_on(evaluations)) {
                const auto leaf = tree.select();
                if (leaf == tree.none && tree.finished()) break;
                if (leaf == tree.none) continue;
                const std::size_t before = children.size();
                MoveList moves;
                tree.nodes()[leaf].state.legal_moves(moves);
                for (const Move move : moves) {
                    State<P> child = tree.nodes()[leaf].state.play_unchecked(move);
                    if (!child.outcome().over()) children.push_back(std::move(child));
                }
                if (children.size() > before) {
                    waiting_.push_back({&tree, leaf, children.size() - before});
                    break;
                }
                tree.expand(leaf, [](const Node<P>&) { return 0.0f; });  // every move ends the game
            }
        }
        if (children.empty()) end_iterations();
        return children;
    }

    /// Takes the values of the children of the last `select`, each for its side to move. Throws
    /// std::invalid_argument if they are not as many; they then still wait.
    void evaluate(std::span<const float> values) {
        std::size_t expected = 0;
        for (const Waiting& waiting : waiting_) expected += waiting.children;
        if (values.size() != expected) throw std::invalid_argument("one value for each child expected");
        auto next = values.begin();
        for (const Waiting& waiting : waiting_) {
            waiting.tree->expand(waiting.leaf,
                                 [&](const Node<P>& child) { return for_first_player(child, *next++); });
        }
        waiting_.clear();
    }

    /// Searches each tree with a native network until it has `evaluations` since its last move; Descent ends
    /// its iteration. Ends early
    /// after `seconds`, after `stop`, or if `interrupted` returns true.
    template <class Network, class Inputs>
    void search(const Network& network, Inputs, std::uint64_t evaluations, double seconds,
                const std::function<bool()>& interrupted) {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        const auto over = [&] {
            return stop_.load(std::memory_order_relaxed) ||
                   std::chrono::duration<double>(Clock::now() - start).count() >= seconds || interrupted();
        };
        stop_ = false;
        const auto value = [&](const Node<P>& child) {
            return for_first_player(child, network.value(Inputs::subject(child.position)));
        };
        for (MinimaxTree<P>& tree : trees) {
            for (std::uint32_t step = 1; tree.goes_on(evaluations); ++step) {
                const auto leaf = tree.select();
                if (leaf == tree.none && tree.finished()) break;
                if (leaf != tree.none) tree.expand(leaf, value);
                if (step % 64 == 0 && over()) break;
            }
        }
        end_iterations();
    }

    /// Ends the search of another thread.
    void stop() { stop_ = true; }

 private:
    struct Waiting {
        MinimaxTree<P>* tree;
        typename MinimaxTree<P>::Index leaf;
        std::size_t children;
    };

    static float for_first_player(const Node<P>& child, float value) {
        return child.position.side() == 0 ? value : -value;
    }
    void end_iterations() {
        for (MinimaxTree<P>& tree : trees) tree.back_up();
    }

    std::vector<Waiting> waiting_;
    std::atomic<bool> stop_{false};
};

}  // namespace sparring::search
