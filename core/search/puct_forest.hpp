// Many PUCT trees searched in lockstep: each step takes one leaf of every tree and evaluates them together.
//
// A batch then has one leaf of each tree, so that every tree is searched leaf by leaf, as the textbook's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "search/puct.hpp"

namespace sparring::search {

template <GamePosition P>
class PuctForest {
 public:
    PuctForest(const std::vector<State<P>>& roots, const PuctConfig& config) {
        trees_.reserve(roots.size());
        for (const State<P>& root : roots) trees_.emplace_back(root, config);
    }

    Ownership ownership;

    const std::vector<PuctTree<P>>& trees() const { return trees_; }

    /// The next leaf of every tree with fewer than `visits` visits, and the index of its tree. A tree that is
    /// solved or full has no leaf. Throws std::logic_error while earlier leaves wait.
    void select(std::uint32_t visits, std::vector<State<P>>& leaves, std::vector<std::int64_t>& trees) {
        if (!pending_.empty()) throw std::logic_error("the leaves that were asked for are not evaluated yet");
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            if (trees_[i].visits() >= visits) continue;
            auto leaf = trees_[i].select(1, visits - trees_[i].visits());
            if (leaf.empty()) continue;
            leaves.push_back(std::move(leaf[0]));
            trees.push_back(static_cast<std::int64_t>(i));
        }
        pending_ = trees;
    }

    /// Evaluates the leaves of the last `select`, as PuctTree::evaluate. Throws std::invalid_argument; the
    /// trees are then as before, and the leaves still wait.
    void evaluate(std::span<const float> priors, std::span<const float> values) {
        if (values.size() != pending_.size()) throw std::invalid_argument("one value for each leaf expected");
        std::size_t needed = 0;
        for (const std::int64_t tree : pending_) needed += at(tree).priors_needed();
        check_evaluation(priors, values, needed);
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const std::size_t moves = at(pending_[i]).priors_needed();
            at(pending_[i]).evaluate(priors.first(moves), values.subspan(i, 1));
            priors = priors.subspan(moves);
        }
        pending_.clear();
    }

    /// Drops the leaves of the last `select` without an evaluation.
    void cancel() {
        for (const std::int64_t tree : pending_) at(tree).cancel();
        pending_.clear();
    }

 private:
    PuctTree<P>& at(std::int64_t tree) { return trees_[static_cast<std::size_t>(tree)]; }

    std::vector<PuctTree<P>> trees_;
    std::vector<std::int64_t> pending_;  // the trees whose leaves wait
};

}  // namespace sparring::search
