// The border between the planner and the network: synopses go out in batches, logits and values come back.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rbc/bandit.hpp"
#include "rbc/infostate.hpp"

namespace sparring::rbc {

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

}  // namespace sparring::rbc
