// RootStrap and TreeStrap: learning an evaluation from the nodes of its own search.
//
// Veness, Silver, Uther and Blair 2009, "Bootstrapping from game tree search"; the Expendibots report,
// section 4.1. Notation as there:
//
//     H(s)     the evaluation of state s, linear in the features phi(s), see linear_evaluation.hpp
//     V(s)     the value of s in the search tree: exact, or a lower or upper bound
//     d        the depth of s in the tree, the root's is 0
//     lambda   the decay with depth
//
// The update of the weights is
//
//     Delta theta = alpha sum_s lambda^d (V(s) - H(s)) phi(s)
//
// over the root (RootStrap) or all inner nodes (TreeStrap). A node with a lower bound counts only if H(s) is
// below it, a node with an upper bound only if H(s) is above it (Veness et al., algorithm 2,
// DeltaFromTransTbl). The caller applies the learning rate alpha and the limit M:
// src/sparring/training/treestrap/algorithms.py.
//
// This file has the rule in three steps: record the nodes, compute the sum, search and do both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/linear_evaluation.hpp"
#include "search/searcher.hpp"

namespace sparring::search {

struct TreeStrapConfig {
    int depth = 4;            // of the search, in plies
    bool all_nodes = true;    // TreeStrap: all inner nodes; else RootStrap: the root only
    bool minimax = false;     // TreeStrap(minimax): no pruning, V is exact; else TreeStrap(alpha-beta)
    int min_depth = 2;        // inner nodes with less remaining depth do not count
    double decay = 1.0;       // lambda
    double max_error = 100;   // |V - H| is clipped to this
    bool skip_draws = false;  // nodes with V = 0 do not count
};

// ---- Step 1: the nodes and bounds of a search ----

/// A Recorder that keeps the last score and bound of every node of an iteration.
template <Evaluator E>
class NodeRecorder {
 public:
    struct NodeRecord {
        typename E::SearchState state;
        int ply;  // d
        int score;
        Bound bound;
    };

    NodeRecorder(const E& evaluator, const TreeStrapConfig& config)
        : evaluator_(evaluator), config_(config) {}

    /// Starts an iteration of iterative deepening: only the last one counts.
    void begin() {
        records_.clear();
        index_by_key_.clear();
    }

    /// A node that is searched again, with a wider window or by a transposition, replaces its record.
    void record_node(const typename E::SearchState& state, int ply, int depth, int score, Bound bound) {
        if (!config_.all_nodes && ply > 0) return;
        if (depth < config_.min_depth && ply > 0) return;
        const NodeRecord record{state, ply, score, bound};
        const auto [entry, added] = index_by_key_.try_emplace(evaluator_.table_key(state), records_.size());
        if (added)
            records_.push_back(record);
        else
            records_[entry->second] = record;
    }

    const std::vector<NodeRecord>& records() const { return records_; }

 private:
    const E& evaluator_;
    TreeStrapConfig config_;
    std::vector<NodeRecord> records_;
    std::unordered_map<std::uint64_t, std::size_t> index_by_key_;
};

// ---- Step 2: the sum ----

/// Delta theta / alpha.
struct Gradient {
    std::vector<double> sums;    // [stages][features]
    std::size_t positions = 0;   // the number of nodes with a nonzero term
    double squared_error = 0.0;  // the sum of lambda^d (V - H)^2 over them
};

/// sum_s lambda^d (V(s) - H(s)) phi(s).
template <Evaluator E>
Gradient gradient(const E& evaluator, const std::vector<typename NodeRecorder<E>::NodeRecord>& records,
                  const TreeStrapConfig& config) {
    using F = typename E::Features;
    static_assert(FeatureExtractor<F>);
    Gradient result;
    result.sums.resize(static_cast<std::size_t>(F::stages * F::size));
    std::vector<double> phi(F::size);
    for (const auto& [state, ply, score, bound] : records) {
        if (config.skip_draws && score == 0) continue;
        const double v = value_of(score), h = value_of(evaluator.evaluate(state));
        const double error = std::clamp(v - h, -config.max_error, config.max_error);
        const bool counts = bound == Bound::exact || (bound == Bound::lower ? error > 0 : error < 0);
        if (!counts || error == 0.0) continue;
        const double weight = std::pow(config.decay, ply);  // lambda^d
        F::extract_features(state, phi);
        double* sums = &result.sums[static_cast<std::size_t>(F::stage(state) * F::size)];
        for (int i = 0; i < F::size; ++i) sums[i] += weight * error * phi[i];
        ++result.positions;
        result.squared_error += weight * error * error;
    }
    return result;
}

// ---- Step 3: the search ----

/// Searches a state and computes the gradient. The searcher's table must be empty: every bound then comes
/// from this search and its weights. Late move reductions are off, since a reduced depth gives no bound for
/// the full depth. If `interrupted` returns true, the search ends early and the result is of no use.
template <class P, Evaluator E>
std::pair<SearchResult, Gradient> treestrap(Searcher<P, E>& searcher, const Node<P>& node,
                                            const TreeStrapConfig& config,
                                            std::function<bool()> interrupted = {}) {
    NodeRecorder<E> recorder(searcher.evaluator(), config);
    Limits limits;
    limits.depth = config.depth;
    limits.interrupted = std::move(interrupted);
    SearchOptions options;
    options.minimax = config.minimax;
    options.reduce = false;
    SearchResult result = searcher.search(node, limits, options, 1, recorder);
    return {std::move(result), gradient(searcher.evaluator(), recorder.records(), config)};
}

}  // namespace sparring::search
