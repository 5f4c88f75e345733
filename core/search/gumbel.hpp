// Gumbel root selection by sequential halving (Danihelka et al. 2022, "Policy improvement by planning with
// Gumbel", section 4, and algorithm 2).
//
// Each move of the root gets a score g(a) + logit(a), g a sample of the Gumbel distribution: the move with
// the highest score is a sample of the prior. The m moves with the highest scores are considered; they are
// visited equally often, then the better half of them by
//
//     g(a) + logit(a) + sigma(Q(a)),        sigma(q) = (c_visit + max_b N(b)) c_scale q
//
// and so on, until the visits are used up. The move is the best of the most visited ones. Q is from -1 to 1.
// Below the root the selection is PUCT's (puct_selection.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/mcts_solver.hpp"
#include "search/search_tree.hpp"

namespace sparring::search {

/// The parameters of Gumbel root selection.
struct GumbelConfig {
    std::uint32_t considered;  // m: moves of the root that are searched at first
    double c_visit;
    double c_scale;
};

/// The visits that a move has when it is next: entry i is for visit i of `visits`, when `considered` moves
/// share them by sequential halving. Each round has about visits / log2(considered) visits.
inline std::vector<std::uint32_t> halving_schedule(std::uint32_t considered, std::uint32_t visits) {
    std::vector<std::uint32_t> schedule;
    const std::uint32_t rounds =
        considered > 1 ? static_cast<std::uint32_t>(std::bit_width(considered - 1)) : 1;
    std::uint32_t left = std::max(considered, 1u), made = 0;
    while (schedule.size() < visits) {
        const std::uint32_t times = std::max(1u, visits / (rounds * left));
        for (std::uint32_t time = 0; time < times; ++time, ++made)
            schedule.insert(schedule.end(), left, made);
        left = considered > 1 ? std::max(2u, left / 2) : 1;
    }
    schedule.resize(visits);
    return schedule;
}

/// A root that is searched by sequential halving.
struct GumbelRoot {
    GumbelConfig config;
    std::vector<double> scores;           // g(a) + logit(a) of each move
    std::vector<std::uint32_t> schedule;  // `halving_schedule`

    /// The visits that the root's moves may have together.
    std::uint32_t visits() const { return static_cast<std::uint32_t>(schedule.size()); }
};

/// g(a) + logit(a) + sigma(Q(a)) of the root's move `place`. A move without visits has the root's Q.
template <GamePosition P>
double gumbel_score(const GumbelRoot& gumbel, const SearchTree<P>& tree, std::size_t place,
                    std::uint32_t max_visits) {
    const auto& root = tree.nodes[0];
    const auto& edge = tree.edges_of(root)[place];
    double q = mean_value(root);
    if (tree.visits_of(edge)) {
        const auto& child = tree.nodes[edge.child];
        q = same_side(root, child) ? mean_value(child) : -mean_value(child);
    }
    return gumbel.scores[place] + (gumbel.config.c_visit + max_visits) * gumbel.config.c_scale * q;
}

/// The visits of each of the root's moves; those that wait for their evaluation count.
template <GamePosition P>
std::vector<std::uint32_t> root_counts(const SearchTree<P>& tree) {
    std::vector<std::uint32_t> counts;
    for (const auto& edge : tree.edges_of(tree.nodes[0])) {
        const bool visited = edge.child != tree.none;
        counts.push_back(visited ? tree.nodes[edge.child].visits + tree.nodes[edge.child].in_flight : 0);
    }
    return counts;
}

/// The edge of the root that the schedule visits next: the best of those with the visits that are its turn.
template <GamePosition P>
std::size_t select_by_halving(const GumbelRoot& gumbel, const SearchTree<P>& tree) {
    const auto counts = root_counts(tree);
    std::uint32_t made = 0, most = 0;
    for (const std::uint32_t count : counts) made += count, most = std::max(most, count);
    const std::uint32_t turn = made < gumbel.visits() ? gumbel.schedule[made] : most;
    std::size_t best = 0;
    double best_score = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] != turn) continue;
        const double score = gumbel_score(gumbel, tree, i, most);
        if (score > best_score) best = i, best_score = score;
    }
    return tree.nodes[0].first_edge + best;
}

/// The place among the root's moves of the move that is played: the shortest proven win; else, of the moves
/// that are not proven lost, the best of the most visited; else the longest loss.
template <GamePosition P>
std::size_t gumbel_choice(const GumbelRoot& gumbel, const SearchTree<P>& tree) {
    const auto counts = root_counts(tree);
    const std::uint32_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    struct Rank {
        int proof;  // 1 won, 0 open, -1 lost
        double first, second;
        auto operator<=>(const Rank&) const = default;
    };
    std::size_t best = 0;
    Rank best_rank{-2, 0, 0};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const int forced = forced_by(tree, tree.nodes[0], tree.edges_of(tree.nodes[0])[i]);
        const double score = gumbel_score(gumbel, tree, i, most);
        const Rank rank = forced != 0 ? Rank{forced > 0 ? 1 : -1, -static_cast<double>(forced), score}
                                      : Rank{0, static_cast<double>(counts[i]), score};
        if (rank > best_rank) best = i, best_rank = rank;
    }
    return best;
}

}  // namespace sparring::search
