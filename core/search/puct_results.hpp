// What a PUCT tree says about the moves of its root.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "search/mcts_solver.hpp"
#include "search/search_tree.hpp"

namespace sparring::search {

/// The statistics of a move of the root.
struct RootMove {
    Move move;
    float prior;
    std::uint32_t visits;
    double value;  // for the side to move at the root; NaN before the first visit
    int forced;    // plies to a forced win, negative to a forced loss; 0 if neither is proven
};

/// The root's value for its side to move: 1 or -1 if proven, NaN before the first visit.
template <GamePosition P>
double root_value(const SearchTree<P>& tree) {
    const auto& root = tree.nodes[0];
    const int forced = forced_at(tree, root);
    return forced == 0 ? mean_value(root) : forced > 0 ? 1.0 : -1.0;
}

/// The root's moves in ascending order; none before the root was evaluated.
template <GamePosition P>
std::vector<RootMove> root_moves(const SearchTree<P>& tree) {
    const auto& root = tree.nodes[0];
    std::vector<RootMove> moves;
    if (root.visits == 0) return moves;
    for (const auto& edge : tree.edges_of(root)) {
        RootMove root_move{edge.move, edge.prior, 0, std::numeric_limits<double>::quiet_NaN(),
                           forced_by(tree, root, edge)};
        if (edge.child != tree.none) {
            const auto& child = tree.nodes[edge.child];
            root_move.visits = child.visits;
            root_move.value = same_side(root, child) ? mean_value(child) : -mean_value(child);
        }
        moves.push_back(root_move);
    }
    return moves;
}

/// The principal variation that begins with a move of the root: the most visited moves, of equals the one
/// with the larger prior. A proven line is the shortest win against the longest defence.
template <GamePosition P>
std::vector<Move> principal_variation(const SearchTree<P>& tree, Move first) {
    std::vector<Move> moves;
    const auto* edge = tree.find(tree.nodes[0], first);
    while (edge) {
        moves.push_back(edge->move);
        if (edge->child == tree.none) break;
        const auto& node = tree.nodes[edge->child];
        edge = nullptr;
        for (const auto& candidate : tree.edges_of(node)) {
            const std::uint32_t visits = tree.visits_of(candidate);
            if (visits == 0 || forced_by(tree, node, candidate) != one_ply_less(node.forced)) continue;
            if (!edge || visits > tree.visits_of(*edge) ||
                (visits == tree.visits_of(*edge) && candidate.prior > edge->prior))
                edge = &candidate;
        }
    }
    return moves;
}

}  // namespace sparring::search
