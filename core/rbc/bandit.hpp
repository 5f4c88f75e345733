// Algorithm 1 of the DSMCP paper: the bandit that chooses the action of a node.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "game/random.hpp"
#include "rbc/planner_config.hpp"
#include "rbc/position.hpp"

namespace sparring::rbc {

/// An action of a node: its probability in the policy, N (with virtual losses), Q and the smallest value
/// seen.
struct Edge {
    Move action = pass;
    float prior = 0, visits = 0, total = 0, worst = 1;

    float mean() const { return visits > 0 ? total / visits : 0; }
    void add(float value, double virtual_loss) {
        total += value;
        worst = std::min(worst, value);
        visits = std::max(1.0f, visits + 1 - static_cast<float>(virtual_loss));
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

}  // namespace sparring::rbc
