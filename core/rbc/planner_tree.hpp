// The tree of the DSMCP paper: actions with N and Q, the bandit that chooses among them (algorithm 1), the
// network's batches and policies, and the hash table of nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "game/random.hpp"
#include "rbc/board_search.hpp"
#include "rbc/infostate.hpp"
#include "rbc/planner_config.hpp"
#include "rbc/position.hpp"

namespace sparring::rbc {

// Actions, and algorithm 1.

/// An action of a node: its probability in the policy, N (with virtual losses), Q and the smallest value
/// seen.
struct Edge {
    Move action = pass;
    float prior = 0, visits = 0, total = 0, worst = 1;

    float mean() const { return visits > 0 ? total / visits : 0; }
    /// The value of a playout that has ended.
    void add(float value) {
        total += value;
        worst = std::min(worst, value);
        visits = std::max(1.0f, visits + 1 - virtual_loss);
    }
};

inline double uniform(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

/// A draw from the policy.
inline std::size_t draw_from_policy(std::span<const Edge> edges, Random& random) {
    double left = uniform(random);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        left -= static_cast<double>(edges[i].prior);
        if (left < 0) return i;
    }
    return edges.size() - 1;
}

/// The probability that the bandit draws from the policy after n visits: exp(-m n), 0 at the root.
inline double mixing_probability(double mixing, double visits) {
    return std::isinf(mixing) ? 0.0 : std::exp(-mixing * visits);
}

inline double total_visits(std::span<const Edge> edges) {
    double visits = 0;
    for (const Edge& edge : edges) visits += static_cast<double>(edge.visits);
    return visits;
}

/// The argmax of formula 2: UCB1 with the policy as prior, or aVoP. An action without visits has the mean
/// value of the node.
inline std::size_t best_edge(std::span<const Edge> edges, const PlannerConfig& config) {
    double visits = 0, total = 0;
    for (const Edge& edge : edges) {
        visits += static_cast<double>(edge.visits);
        total += static_cast<double>(edge.total);
    }
    const double node_mean = visits > 0 ? total / visits : 0, log_visits = std::log(std::max(visits, 2.0));
    std::size_t best = 0;
    double highest = -1e30;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const Edge& edge = edges[i];
        const double n = static_cast<double>(edge.visits);
        const double mean = n > 0 ? static_cast<double>(edge.total) / n : node_mean;
        const double worst = n > 0 ? std::min<double>(edge.worst, mean) : node_mean;
        const double bonus =
            config.avop ? std::sqrt(visits) / (1 + n) : std::sqrt(log_visits / std::max(n, 1.0));
        const double score = (1 - config.paranoia) * mean + config.paranoia * worst +
                             config.exploration * static_cast<double>(edge.prior) * bonus;
        if (score > highest) {
            highest = score;
            best = i;
        }
    }
    return best;
}

/// The policy replaced by the probabilities with which the bandit takes the actions below the root.
inline void set_bandit_priors(std::span<Edge> edges, const PlannerConfig& config) {
    const double drawn = mixing_probability(config.mixing, total_visits(edges));
    const std::size_t best = best_edge(edges, config);
    for (Edge& edge : edges) edge.prior *= static_cast<float>(drawn);
    edges[best].prior += static_cast<float>(1 - drawn);
}

/// An action without visits, at random; none if all have been tried.
inline std::optional<std::size_t> untried_edge(std::span<const Edge> edges, Random& random) {
    std::optional<std::size_t> chosen;
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].visits <= 0 && random.below(++count) == 0) chosen = i;
    }
    return chosen;
}

/// Algorithm 1.
inline std::size_t bandit(std::span<const Edge> edges, const PlannerConfig& config, bool at_root,
                          Random& random) {
    if (!at_root && uniform(random) < mixing_probability(config.mixing, total_visits(edges)))
        return draw_from_policy(edges, random);
    if (config.untried_first) {
        if (const auto untried = untried_edge(edges, random)) return *untried;
    }
    return best_edge(edges, config);
}

// The border between the planner and the network: synopses go out in batches, logits and values come back.

/// The policy of the network, in the view of the player to act (ranks reversed for Black): 64 senses, 64 * 64
/// moves by origin and destination (a promotion has no number of its own), and the pass.
constexpr std::size_t policy_size = 64 + 64 * 64 + 1;

inline std::size_t policy_index(chess::Color player, Move action) {
    const int flip = player == chess::white ? 0 : 56;
    if (action == pass) return policy_size - 1;
    if (action >= sense_base) return static_cast<std::size_t>((action - sense_base) ^ flip);
    return static_cast<std::size_t>(64 + (chess::from_square(action) ^ flip) * 64 +
                                    (chess::to_square(action) ^ flip));
}

/// Synopses that wait for an evaluation.
struct EvaluationBatch {
    std::vector<Synopsis> synopses;
    std::vector<std::uint8_t> opponent;  // whether the opponent's policy is asked for

    std::size_t size() const { return synopses.size(); }
    void clear() {
        synopses.clear();
        opponent.clear();
    }
    void add(const Synopsis& synopsis, bool is_opponent) {
        synopses.push_back(synopsis);
        opponent.push_back(is_opponent);
    }
};

/// The network's results of a batch.
struct Evaluations {
    std::span<const float> logits;  // [n, policy_size]
    std::span<const float> values;  // [n], for the player to act, from -1 to 1

    std::span<const float> row(std::size_t i) const { return logits.subspan(i * policy_size, policy_size); }
};

/// The actions with the softmax of their logits as priors. no_sense, which the network does not know, has the
/// logit 0.
template <class Actions>
std::vector<Edge> policy_edges(chess::Color player, const Actions& actions, std::span<const float> logits) {
    std::vector<Edge> edges;
    float highest = -std::numeric_limits<float>::infinity(), sum = 0;
    for (const Move action : actions) {
        const float logit = action == no_sense ? 0.0f : logits[policy_index(player, action)];
        edges.push_back({action, logit});
        highest = std::max(highest, logit);
    }
    for (Edge& edge : edges) sum += edge.prior = std::exp(edge.prior - highest);
    for (Edge& edge : edges) edge.prior /= sum;
    return edges;
}

// A policy of moves weighted by a native evaluation: the network predicts typical moves, the evaluation rules
// out most of those that lose a piece.

/// The number of boards of an infostate over which its moves are evaluated.
constexpr std::size_t evaluated_boards = 3;

/// Multiplies the priors of the moves of a player by exp(rationality * win probability). The probability is
/// that of a quiescence search after the move, a mean over some boards that the player thinks possible.
inline void weigh_by_value(std::vector<Edge>& edges, const Infostate& state, double rationality) {
    const auto& boards = state.boards();
    const std::size_t count = std::min(evaluated_boards, boards.size());
    std::vector<double> values(edges.size());
    for (std::size_t k = 0; k < count; ++k) {
        const chess::Board board = whole_board(state.known(), boards[k * boards.size() / count]);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            chess::Board next = board;
            apply(next, taken(board, edges[i].action));
            values[i] += std::tanh(-BoardSearch(0, 0).score(next) / centipawns_of_a_win) / 2;
        }
    }
    const double best = *std::max_element(values.begin(), values.end());
    double total = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        edges[i].prior *=
            static_cast<float>(std::exp(rationality * (values[i] - best) / static_cast<double>(count)));
        total += static_cast<double>(edges[i].prior);
    }
    for (Edge& edge : edges) edge.prior /= static_cast<float>(total);
}

// The tables N and Q over infostates, with the results of the network.

struct TreeNode {
    std::uint64_t key = 0;
    float value = 0;  // the network's, for the player to act
    RememberedPlanes remembered{};
    std::vector<Edge> edges;
};

/// A hash table in which a new node overwrites an older one in its slot.
class NodeTable {
 public:
    /// `rationality` weighs the moves of all policies by a native evaluation; 0 leaves them as they are.
    explicit NodeTable(std::size_t size, double rationality = 0)
        : nodes_(std::max<std::size_t>(size, 1)), rationality_(rationality) {}

    TreeNode* find(std::uint64_t key) {
        TreeNode& node = nodes_[key % nodes_.size()];
        return node.key == key && !node.edges.empty() ? &node : nullptr;
    }

    /// The node of an infostate that the network has evaluated.
    TreeNode& insert(std::uint64_t key, const Infostate& state, const Synopsis& synopsis,
                     std::span<const float> logits, float value) {
        if (TreeNode* known = find(key)) return *known;  // evaluated twice in a batch
        TreeNode& node = nodes_[key % nodes_.size()];
        used_ += node.edges.empty();
        MoveList actions;
        state.actions(actions);
        node = {key, value, remembered_planes(synopsis), policy_edges(state.known().player, actions, logits)};
        if (rationality_ > 0 && state.context().moving) weigh_by_value(node.edges, state, rationality_);
        return node;
    }

    /// The number of nodes.
    std::size_t used() const { return used_; }

 private:
    std::vector<TreeNode> nodes_;
    double rationality_;
    std::size_t used_ = 0;
};

}  // namespace sparring::rbc
