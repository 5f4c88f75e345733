// The storage of a PUCT tree: nodes and edges in two vectors, linked by index.
//
// Nothing is freed while a tree grows; after a move, the part below it is copied to a new tree. A node holds
// its state (game/state.hpp): trees have thousands of nodes, not millions, since a network evaluates them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "game/state.hpp"

namespace sparring::search {

enum class NodeStatus : std::uint8_t {
    unexpanded,  // a leaf that was not evaluated
    evaluating,  // a leaf that waits for its evaluation
    expanded,    // has an edge for each legal move
    terminal,    // has an exact value: the game is over, drawn by repetition, or proved by the solver
};

/// Q: the mean value of a node's visits for its side to move; NaN before the first.
template <class TreeNode>
double mean_value(const TreeNode& node) {
    return node.visits ? node.total / node.visits : std::numeric_limits<double>::quiet_NaN();
}

/// Whether the same player moves in both nodes. Values keep their sign between them; else they are negated.
template <class TreeNode>
bool same_side(const TreeNode& a, const TreeNode& b) {
    return a.state.position().side() == b.state.position().side();
}

template <GamePosition P>
struct SearchTree {
    using Index = std::uint32_t;
    static constexpr Index none = std::numeric_limits<Index>::max();

    /// A legal move of a node.
    struct Edge {
        float prior;
        Index child;  // or none, before the first visit
        Move move;
    };

    struct TreeNode {
        State<P> state;
        Index parent;
        Index first_edge = 0;
        std::uint32_t edges = 0;
        std::uint32_t visits = 0;     // N
        std::uint32_t in_flight = 0;  // visits that wait for an evaluation (virtual losses)
        NodeStatus status = NodeStatus::unexpanded;
        /// For a proven node: plies to the end of the game, counted from the parent. Positive if the side to
        /// move here wins, negative if it loses, 0 if nothing is proven.
        std::int16_t forced = 0;
        double total = 0;           // W: the sum of the values of all visits, for the side to move here
        double terminal_value = 0;  // the exact value, if terminal, for the side to move here

        TreeNode(const State<P>& s, Index p) : state(s), parent(p) {}
    };

    std::vector<TreeNode> nodes;  // the root first
    std::vector<Edge> edges;

    std::span<Edge> edges_of(const TreeNode& node) { return {edges.data() + node.first_edge, node.edges}; }
    std::span<const Edge> edges_of(const TreeNode& node) const {
        return {edges.data() + node.first_edge, node.edges};
    }

    /// The edge of a move, or null.
    const Edge* find(const TreeNode& node, Move move) const {
        for (const Edge& edge : edges_of(node)) {
            if (edge.move == move) return &edge;
        }
        return nullptr;
    }

    std::uint32_t visits_of(const Edge& edge) const {
        return edge.child == none ? 0 : nodes[edge.child].visits;
    }

    /// Replaces a node's W and adds the difference to its ancestors.
    void set_total(Index at, double total) {
        double change = total - nodes[at].total;
        nodes[at].total = total;
        for (Index below = at; (at = nodes[at].parent) != none; below = at) {
            if (!same_side(nodes[at], nodes[below])) change = -change;
            nodes[at].total += change;
        }
    }

    /// About how many bytes the tree takes, the states included.
    std::size_t bytes() const {
        return nodes.size() * (sizeof(TreeNode) + sizeof(Node<P>) + 64) + edges.size() * sizeof(Edge);
    }

    /// A copy of the part below a node, which becomes the root.
    SearchTree subtree(Index top) const {
        SearchTree result;
        result.nodes.push_back(nodes[top]);
        result.nodes[0].parent = none;
        std::vector<Index> sources = {top};
        for (Index at = 0; at < result.nodes.size(); ++at) {
            const auto first = static_cast<Index>(result.edges.size());
            for (Edge edge : edges_of(nodes[sources[at]])) {
                if (edge.child != none) {
                    sources.push_back(edge.child);
                    edge.child = static_cast<Index>(result.nodes.size());
                    result.nodes.push_back(nodes[sources.back()]);
                    result.nodes.back().parent = at;
                }
                result.edges.push_back(edge);
            }
            result.nodes[at].first_edge = first;
        }
        return result;
    }
};

}  // namespace sparring::search
