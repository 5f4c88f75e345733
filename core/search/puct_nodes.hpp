// What a PUCT tree knows: its nodes and moves, what they are worth, and which of them are decided.
//
// Ends of games are exact, and so is what follows from them (MCTS-Solver, Winands et al. 2008): who has a
// move that wins by force has won, and whose moves all lose by force has lost. Such a node is searched no
// further, and all its visits count as what is now certain. Where no winner is certain nothing of this is
// felt.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "game/state.hpp"

namespace sparring::search {

template <GamePosition P>
class PuctNodes {
 public:
    using Index = std::uint32_t;
    static constexpr Index none = std::numeric_limits<Index>::max();

    /// What is known of a move of the root.
    struct RootMove {
        Move move;
        float prior;
        std::uint32_t visits;
        double value;  // for the side to move at the root; NaN before the first visit
        int forced;    // plies to a win by force, below 0 to a loss; 0 where neither is certain
    };

    /// The most visited line from the root, beginning with a move; of two equals the likelier. A forced end
    /// is played out: the winner takes the quickest way and the loser the slowest.
    std::vector<Move> pv(Move first) const {
        std::vector<Move> moves;
        const TreeNode* node = &nodes_[0];
        const Edge* edge = find(*node, first);
        while (edge) {
            moves.push_back(edge->move);
            if (edge->child == none) break;
            node = &nodes_[edge->child];
            edge = nullptr;
            for (const Edge& each : edges_of(*node)) {
                if (visits_of(each) == 0 || forced_by(*node, each) != one_less(node->forced)) continue;
                if (!edge || visits_of(each) > visits_of(*edge) ||
                    (visits_of(each) == visits_of(*edge) && each.prior > edge->prior))
                    edge = &each;
            }
        }
        return moves;
    }

 protected:
    enum class NodeStatus : std::uint8_t { unexpanded, evaluating, open, terminal };

    struct Edge {
        float prior;
        Index child;
        Move move;
    };

    struct TreeNode {
        State<P> state;
        Index parent;
        Index first_edge = 0;
        std::uint32_t edges = 0;
        std::uint32_t visits = 0;
        std::uint32_t in_flight = 0;
        NodeStatus status = NodeStatus::unexpanded;
        std::int16_t forced = 0;  // where a winner is certain: plies to the end, the one that led here
                                  // included; above 0 the side to move here wins, below 0 it loses
        double total = 0;         // of the values that came back, for the side to move here
        double end_value = 0;     // where the game is over, or as good as

        TreeNode(const State<P>& s, Index p) : state(s), parent(p) {}
    };

    std::span<Edge> edges_of(const TreeNode& node) { return {edges_.data() + node.first_edge, node.edges}; }
    std::span<const Edge> edges_of(const TreeNode& node) const {
        return {edges_.data() + node.first_edge, node.edges};
    }
    const Edge* find(const TreeNode& node, Move move) const {
        for (const Edge& edge : edges_of(node)) {
            if (edge.move == move) return &edge;
        }
        return nullptr;
    }
    std::uint32_t visits_of(const Edge& edge) const {
        return edge.child == none ? 0 : nodes_[edge.child].visits;
    }
    static double mean(const TreeNode& node) {
        return node.visits ? node.total / node.visits : std::numeric_limits<double>::quiet_NaN();
    }
    static bool same_side(const TreeNode& a, const TreeNode& b) {
        return a.state.position().side() == b.state.position().side();
    }

    /// Plies to an end that a move forces, for the side that has it: above 0 to a win, below 0 to a loss; 0
    /// where neither is certain.
    int forced_by(const TreeNode& node, const Edge& edge) const {
        if (edge.child == none) return 0;
        const TreeNode& child = nodes_[edge.child];
        return same_side(node, child) ? child.forced : -child.forced;
    }

    /// The same of a node by all its moves: the quickest win, or the slowest loss where there is nothing
    /// else.
    int forced_at(const TreeNode& node) const {
        int win = 0, loss = 0;
        bool lost = true;
        for (const Edge& edge : edges_of(node)) {
            const int forced = forced_by(node, edge);
            if (forced > 0 && (win == 0 || forced < win)) win = forced;
            lost = lost && forced < 0;
            loss = std::min(loss, forced);
        }
        return win != 0 ? win : lost ? loss : 0;
    }

    /// What `forced_by` says of the moves that a node with this `forced` expects: one ply less.
    static int one_less(int forced) { return forced > 0 ? forced - 1 : forced < 0 ? forced + 1 : 0; }

    /// What an end that was just found proves of the nodes above it. The root stays open: it is asked for
    /// moves.
    void backpropagate_proof(Index at) {
        constexpr int most = std::numeric_limits<std::int16_t>::max();
        for (at = nodes_[at].parent; at != none && at != 0; at = nodes_[at].parent) {
            TreeNode& node = nodes_[at];
            const int forced = forced_at(node);
            if (forced == 0) return;
            node.status = NodeStatus::terminal;
            node.forced = static_cast<std::int16_t>(std::clamp(forced + (forced > 0 ? 1 : -1), -most, most));
            node.end_value = forced > 0 ? 1.0 : -1.0;
            adjust_total(at, node.end_value * node.visits);
        }
    }

    /// Gives a node another total, and all above it the difference.
    void adjust_total(Index at, double total) {
        double change = total - nodes_[at].total;
        nodes_[at].total = total;
        for (Index below = at; (at = nodes_[at].parent) != none; below = at) {
            if (!same_side(nodes_[at], nodes_[below])) change = -change;
            nodes_[at].total += change;
        }
    }

    std::vector<RootMove> moves_of(const TreeNode& node) const {
        std::vector<RootMove> moves;
        for (const Edge& edge : edges_of(node)) {
            RootMove each{edge.move, edge.prior, 0, std::numeric_limits<double>::quiet_NaN(),
                          forced_by(node, edge)};
            if (edge.child != none) {
                const TreeNode& child = nodes_[edge.child];
                each.visits = child.visits;
                each.value = same_side(node, child) ? mean(child) : -mean(child);
            }
            moves.push_back(each);
        }
        return moves;
    }

    /// Keeps what lies below a node, which becomes the root; all else is let go.
    void reroot(Index top) {
        const PuctNodes other = std::move(*this);
        nodes_ = {other.nodes_[top]};
        edges_.clear();
        nodes_[0].parent = none;
        std::vector<Index> sources = {top};
        for (Index at = 0; at < nodes_.size(); ++at) {
            const TreeNode& source = other.nodes_[sources[at]];
            const auto first = static_cast<Index>(edges_.size());
            for (Edge edge : other.edges_of(source)) {
                if (edge.child != none) {
                    sources.push_back(edge.child);
                    edge.child = static_cast<Index>(nodes_.size());
                    nodes_.push_back(other.nodes_[sources.back()]);
                    nodes_.back().parent = at;
                }
                edges_.push_back(edge);
            }
            nodes_[at].first_edge = first;
        }
        TreeNode& root = nodes_[0];
        if (root.status == NodeStatus::terminal && !root.state.outcome().over()) {
            root.status = root.edges != 0 ? NodeStatus::open : NodeStatus::unexpanded;
            root.forced = 0;
        }
    }

    std::vector<TreeNode> nodes_;  // the root first
    std::vector<Edge> edges_;
};

}  // namespace sparring::search
