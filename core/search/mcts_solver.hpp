// The MCTS solver (Winands et al. 2008): ends of games are exact.
//
// A node with a move that wins by force is won, and a node all of whose moves lose by force is lost. Such a
// node is terminal, and all of its visits count as the proven value. Draws prove nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "search/search_tree.hpp"

namespace sparring::search {

/// Plies to the end that a move forces, for the side to move at `node`: positive for a win, negative for a
/// loss, 0 if neither is proven.
template <GamePosition P>
int forced_by(const SearchTree<P>& tree, const typename SearchTree<P>::TreeNode& node,
              const typename SearchTree<P>::Edge& edge) {
    if (edge.child == SearchTree<P>::none) return 0;
    const auto& child = tree.nodes[edge.child];
    return same_side(node, child) ? child.forced : -child.forced;
}

/// The same for a node over all of its moves: the shortest win, or the longest loss if every move loses.
template <GamePosition P>
int forced_at(const SearchTree<P>& tree, const typename SearchTree<P>::TreeNode& node) {
    int win = 0, loss = 0;
    bool lost = true;
    for (const auto& edge : tree.edges_of(node)) {
        const int forced = forced_by(tree, node, edge);
        if (forced > 0 && (win == 0 || forced < win)) win = forced;
        lost = lost && forced < 0;
        loss = std::min(loss, forced);
    }
    return win != 0 ? win : lost ? loss : 0;
}

/// `forced_by` of the moves that follow the proof of a node with this `forced`.
inline int one_ply_less(int forced) { return forced > 0 ? forced - 1 : forced < 0 ? forced + 1 : 0; }

/// Proves the ancestors of a new terminal node, as far as they follow from it. The root stays expanded, since
/// its moves are asked for.
template <GamePosition P>
void backpropagate_proof(SearchTree<P>& tree, typename SearchTree<P>::Index at) {
    constexpr int limit = std::numeric_limits<std::int16_t>::max();
    for (at = tree.nodes[at].parent; at != tree.none && at != 0; at = tree.nodes[at].parent) {
        auto& node = tree.nodes[at];
        const int forced = forced_at(tree, node);
        if (forced == 0) return;
        node.status = NodeStatus::terminal;
        node.forced = static_cast<std::int16_t>(std::clamp(forced + (forced > 0 ? 1 : -1), -limit, limit));
        node.terminal_value = forced > 0 ? 1.0 : -1.0;
        tree.set_total(at, node.terminal_value * node.visits);
    }
}

/// Whether an ancestor of a node is terminal: its total does not depend on what is below it any more.
template <GamePosition P>
bool below_proven(const SearchTree<P>& tree, typename SearchTree<P>::Index at) {
    while ((at = tree.nodes[at].parent) != tree.none) {
        if (tree.nodes[at].status == NodeStatus::terminal) return true;
    }
    return false;
}

}  // namespace sparring::search
