// What a search teaches its evaluation: RootStrap and TreeStrap (Veness et al. 2009; the report's
// section 4.1).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/linear_evaluation.hpp"
#include "search/searcher.hpp"

namespace sparring::search {

/// Which positions of a search learn from it.
struct TreeStrapConfig {
    int depth = 4;
    bool all_nodes = true;    // all inner nodes; else the root alone
    bool minimax = false;     // of a minimax search; else of alpha-beta, with one-sided bounds
    int min_depth = 2;        // the bottom layers have too little below them to learn from
    double decay = 1.0;       // lambda: a position counts lambda^ply
    double max_error = 100;   // larger ones count as this much: a found win says little of what led to it
    bool skip_draws = false;  // positions whose value is exactly 0 teach nothing
};

/// The sum over positions of lambda^d (V - H) phi, by stage and feature; the learning rate is the caller's.
struct Gradient {
    std::vector<double> sums;
    std::size_t positions = 0;   // that were moved
    double squared_error = 0.0;  // of those, weighted as they are
};

/// Keeps the newest bounds of every position that a search finished with.
template <Evaluator J>
class NodeRecorder {
 public:
    struct NodeRecord {
        typename J::SearchState search_state;
        int ply;
        int score;
        Bound bound;
    };

    NodeRecorder(const J& evaluator, const TreeStrapConfig& config)
        : evaluator_(evaluator), config_(config) {}

    void begin() {
        records_.clear();
        index_by_key_.clear();
    }
    void record_node(const typename J::SearchState& search_state, int ply, int depth, int score,
                     Bound bound) {
        if (!config_.all_nodes && ply > 0) return;
        if (depth < config_.min_depth && ply > 0) return;
        const NodeRecord record{search_state, ply, score, bound};
        // A position that was searched again, with a wider window or on another way, has one note.
        const auto [place, added] =
            index_by_key_.try_emplace(evaluator_.table_key(search_state), records_.size());
        if (added)
            records_.push_back(record);
        else
            records_[place->second] = record;
    }
    const std::vector<NodeRecord>& records() const { return records_; }

 private:
    const J& evaluator_;
    TreeStrapConfig config_;
    std::vector<NodeRecord> records_;
    std::unordered_map<std::uint64_t, std::size_t> index_by_key_;
};

/// A search passes its findings on to somebody who outlives it.
template <class R>
struct RecorderRef {
    R* target;

    void begin() { target->begin(); }
    template <class SearchState>
    void record_node(const SearchState& search_state, int ply, int depth, int score, Bound bound) {
        target->record_node(search_state, ply, depth, score, bound);
    }
};

/// Delta theta over the learning rate: towards exact values, and towards bounds only where H is beyond them.
template <Evaluator J>
Gradient gradient(const J& evaluator, const std::vector<typename NodeRecorder<J>::NodeRecord>& records,
                  const TreeStrapConfig& config) {
    using F = typename J::Features;
    Gradient result;
    result.sums.resize(static_cast<std::size_t>(F::stages * F::size));
    std::vector<double> features(F::size);
    for (const auto& record : records) {
        if (config.skip_draws && record.score == 0) continue;
        const double error =
            std::clamp(value_of(record.score) - value_of(evaluator.evaluate(record.search_state)),
                       -config.max_error, config.max_error);
        const bool known =
            record.bound == Bound::exact || (record.bound == Bound::lower ? error > 0 : error < 0);
        if (!known || error == 0.0) continue;
        const double weight = std::pow(config.decay, record.ply);
        F::extract_features(record.search_state, features);
        double* sums = &result.sums[static_cast<std::size_t>(F::stage(record.search_state) * F::size)];
        for (int i = 0; i < F::size; ++i) sums[i] += weight * error * features[i];
        ++result.positions;
        result.squared_error += weight * error * error;
    }
    return result;
}

/// Searches a state to a depth, and what that teaches. The searcher remembers nothing yet, so that every
/// bound is of this search and its weights.
template <class P, Evaluator J>
std::pair<SearchResult, Gradient> treestrap(Searcher<P, J>& searcher, const Node<P>& node,
                                            const TreeStrapConfig& config) {
    NodeRecorder<J> recorder(searcher.evaluator(), config);
    Limits limits;
    limits.depth = config.depth;
    SearchOptions options;
    options.minimax = config.minimax;
    options.reduce = false;  // a bound from a shallower search is none
    SearchResult result = searcher.search(node, limits, options, 1, RecorderRef<NodeRecorder<J>>{&recorder});
    return {std::move(result), gradient(searcher.evaluator(), recorder.records(), config)};
}

}  // namespace sparring::search
