// The selection rule of PUCT (Rosin 2011; Silver et al. 2017).
//
//     Q(a) + c(N) P(a) sqrt(N) / (1 + N(a)),        N: the sum of N(a) over the moves a
//
// N(a) includes visits that wait for their evaluation, and Q(a) counts each of them as `virtual_loss` losses.
// By default that is none: a waiting visit only lowers the exploration term (Liu et al. 2020, "Watch the
// Unobserved").
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "search/puct_config.hpp"
#include "search/search_tree.hpp"

namespace sparring::search {

/// First-play urgency: the Q of a move without visits. `visited_prior` is the sum of the visited priors.
template <class TreeNode>
double fpu_value(const PuctConfig& config, const TreeNode& node, double visited_prior) {
    if (config.fpu_absolute) return config.fpu_reduction;
    return (node.visits ? mean_value(node) : 0.0) - config.fpu_reduction * std::sqrt(visited_prior);
}

/// The edge with the highest score among those with `allowed(move)`; of equals the one with the larger prior,
/// then the first.
template <GamePosition P, class Allowed>
std::size_t select_child(const PuctConfig& config, const SearchTree<P>& tree,
                         const typename SearchTree<P>::TreeNode& node, Allowed allowed) {
    std::uint32_t sum_visits = 0;
    double visited_prior = 0;
    for (const auto& edge : tree.edges_of(node)) {
        if (edge.child == tree.none) continue;
        const auto& child = tree.nodes[edge.child];
        sum_visits += child.visits + child.in_flight;
        if (child.visits + child.in_flight) visited_prior += edge.prior;
    }
    const bool by_prior = std::isinf(config.c_puct);  // the limit: Q does not count
    const double scale =
        (by_prior ? 1.0 : config.exploration(sum_visits)) * std::sqrt(static_cast<double>(sum_visits));
    const double unvisited_q = fpu_value(config, node, visited_prior);
    std::size_t best = node.first_edge;
    double best_score = -std::numeric_limits<double>::infinity();
    float best_prior = -1;
    for (std::size_t i = node.first_edge; i < node.first_edge + node.edges; ++i) {
        const auto& edge = tree.edges[i];
        if (!allowed(edge.move)) continue;
        double visits = 0, q = unvisited_q;
        if (edge.child != tree.none) {
            const auto& child = tree.nodes[edge.child];
            const double lost = config.virtual_loss * child.in_flight;
            const double total = same_side(node, child) ? child.total : -child.total;
            if (child.visits + lost > 0) q = (total - lost) / (child.visits + lost);
            visits = child.visits + child.in_flight;
        }
        const double score = (by_prior ? 0 : q) + scale * edge.prior / (1 + visits);
        if (score > best_score || (score == best_score && edge.prior > best_prior)) {
            best = i, best_score = score, best_prior = edge.prior;
        }
    }
    return best;
}

}  // namespace sparring::search
