// Many PUCT trees searched in lockstep: each step takes leaves of every tree and evaluates them together.
//
// Every tree is searched as if it were alone, with batches of the same sizes. `batch = 1` searches leaf by
// leaf, as the textbook does.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <vector>

#include "search/puct.hpp"

namespace sparring::search {

template <GamePosition P>
class PuctForest {
 public:
    PuctForest(const std::vector<State<P>>& roots, const PuctConfig& config) : config_(config) {
        trees_.reserve(roots.size());
        for (const State<P>& root : roots) trees_.emplace_back(root, config);
    }

    Ownership ownership;

    const std::vector<PuctTree<P>>& trees() const { return trees_; }

    /// The next batch of leaves of every tree with fewer than `visits` visits, and the index of each leaf's
    /// tree. A tree that is solved or full has no leaf. Throws std::logic_error while earlier leaves wait.
    void select(std::uint32_t visits, std::vector<State<P>>& leaves, std::vector<std::int64_t>& trees) {
        select([visits](std::size_t) { return visits; }, leaves, trees);
    }
    /// The same with a limit of its own for each tree.
    void select(std::span<const std::int64_t> visits, std::vector<State<P>>& leaves,
                std::vector<std::int64_t>& trees) {
        if (visits.size() != trees_.size()) throw std::invalid_argument("a number for each tree expected");
        select([visits](std::size_t i) { return static_cast<std::uint32_t>(visits[i]); }, leaves, trees);
    }

    /// Evaluates the leaves of the last `select`, as PuctTree::evaluate. Throws std::invalid_argument; the
    /// trees are then as before, and the leaves still wait.
    void evaluate(std::span<const float> priors, std::span<const float> values) {
        std::size_t leaves = 0, needed = 0;
        for (const Pending& pending : pending_) {
            leaves += pending.leaves;
            needed += trees_[pending.tree].priors_needed();
        }
        if (values.size() != leaves) throw std::invalid_argument("one value for each leaf expected");
        check_evaluation(priors, values, needed);
        for (const Pending& pending : pending_) {
            PuctTree<P>& tree = trees_[pending.tree];
            const std::size_t moves = tree.priors_needed();
            tree.evaluate(priors.first(moves), values.first(pending.leaves));
            priors = priors.subspan(moves);
            values = values.subspan(pending.leaves);
        }
        pending_.clear();
    }

    /// Drops the leaves of the last `select` without an evaluation.
    void cancel() {
        for (const Pending& pending : pending_) trees_[pending.tree].cancel();
        pending_.clear();
    }

    /// Applies PuctTree::add_noise to every tree; `noise` is for the root moves of all trees.
    void add_noise(std::span<const float> noise, double share) {
        for_each_tree(noise, [&](PuctTree<P>& tree, std::size_t, std::span<const float> own) {
            tree.add_noise(own, share);
        });
    }

    /// Applies PuctTree::begin_halving to every tree, with `visits[i]` visits in tree i.
    void begin_halving(std::span<const float> noise, const GumbelConfig& config,
                       std::span<const std::int64_t> visits) {
        if (visits.size() != trees_.size()) throw std::invalid_argument("a number for each tree expected");
        for_each_tree(noise, [&](PuctTree<P>& tree, std::size_t i, std::span<const float> own) {
            tree.begin_halving(own, config, static_cast<std::uint32_t>(visits[i]));
        });
    }

    /// Plays a move in every tree and keeps the part below it. Throws IllegalMove.
    void advance(std::span<const std::int64_t> moves) {
        if (moves.size() != trees_.size()) throw std::invalid_argument("a move for each tree expected");
        for (std::size_t i = 0; i < trees_.size(); ++i) trees_[i].advance(static_cast<Move>(moves[i]));
    }

    /// Replaces a tree by a new one with this root.
    void restart(std::size_t tree, const State<P>& root) { trees_.at(tree) = PuctTree<P>(root, config_); }

 private:
    /// The leaves of a tree that wait for their evaluation.
    struct Pending {
        std::size_t tree, leaves;
    };

    template <class Limit>
        requires std::invocable<Limit, std::size_t>
    void select(Limit limit, std::vector<State<P>>& leaves, std::vector<std::int64_t>& trees) {
        if (!pending_.empty()) throw std::logic_error("the leaves that were asked for are not evaluated yet");
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            auto selected = select_in(trees_[i], limit(i));
            if (selected.empty()) continue;
            pending_.push_back({i, selected.size()});
            trees.insert(trees.end(), selected.size(), static_cast<std::int64_t>(i));
            std::move(selected.begin(), selected.end(), std::back_inserter(leaves));
        }
    }

    /// Calls `work` with each tree, its index and the numbers of its root's moves.
    template <class Work>
    void for_each_tree(std::span<const float> numbers, Work work) {
        std::size_t needed = 0;
        for (const PuctTree<P>& tree : trees_) needed += tree.root_size();
        if (numbers.size() != needed) throw std::invalid_argument("a number for each root move expected");
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            const std::size_t own = trees_[i].root_size();
            work(trees_[i], i, numbers.first(own));
            numbers = numbers.subspan(own);
        }
    }

    /// The next batch of a tree. Visits of terminal nodes need no evaluation, so the tree may end without
    /// one.
    std::vector<State<P>> select_in(PuctTree<P>& tree, std::uint32_t visits) const {
        while (tree.visits() < visits) {
            const std::uint32_t before = tree.visits();
            const auto size = static_cast<std::uint32_t>(config_.batch_size(before));
            const std::uint32_t count = std::min(size, visits - before);
            auto leaves = tree.select(count, count);
            if (!leaves.empty() || tree.visits() == before) return leaves;
        }
        return {};
    }

    PuctConfig config_;
    std::vector<PuctTree<P>> trees_;
    std::vector<Pending> pending_;
};

}  // namespace sparring::search
