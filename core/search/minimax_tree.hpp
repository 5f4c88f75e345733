// Unbounded best-first minimax with completed values, and Descent.
//
// Korf and Chickering 1996, "Best-first minimax search"; Cohen-Solal 2020, "Learning to play two-player
// perfect-information games without knowledge" (Descent, completion, the safest move); Cohen-Solal and
// Cazenave 2020, "Minimax strikes back". Notation as there, for a state s of the tree and a move a:
//
//     v(s), v(s, a)   the value, from -1 to 1, for player 0: the evaluation of a leaf, the score of a
//     finished
//                     game, else the value of the best move
//     c(s), c(s, a)   the completion: 1 if player 0 wins by force, -1 if player 1 does, else 0
//     r(s), r(s, a)   whether s is resolved: its result with perfect play is proven
//     n(s, a)         how often the search went through a move
//
// A move is better for player 0 if (c, v) is larger in lexicographic order, and for player 1 if it is
// smaller. An iteration follows the best unresolved move from the root to a leaf and expands it: all of its
// children are evaluated together. Best-first minimax then backs the values up; Descent goes on from the leaf
// in the same way until a resolved state, so that each iteration ends with the end of a game.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "game/random.hpp"
#include "game/state.hpp"

namespace sparring::search {

/// v, c and r of a state or a move.
struct CompletedValue {
    float value = 0;
    std::int8_t completion = 0;
    bool resolved = false;
};

/// Whether `a` is better than `b` for a player.
inline bool better(const CompletedValue& a, const CompletedValue& b, Player player) {
    if (a.completion != b.completion) return (a.completion > b.completion) == (player == 0);
    return player == 0 ? a.value > b.value : a.value < b.value;
}

struct MinimaxConfig {
    bool descend = false;  // Descent; else best-first minimax
    /// A win counts 1 - ply / (2 horizon), at least 1/2, by the ply at which the game ends: wins are fast,
    /// losses slow (the paper's depth heuristic).
    int horizon = 200;
    std::size_t megabytes = 512;  // of the tree; a full tree is not expanded
};

/// Whether positions of a game may recur. Else a position that is reached by two orders of moves is one node.
template <class P>
constexpr bool positions_recur = [] {
    if constexpr (requires { P::positions_recur; }) return P::positions_recur;
    return true;
}();

template <GamePosition P>
class MinimaxTree {
 public:
    using Index = std::uint32_t;
    static constexpr Index none = std::numeric_limits<Index>::max();

    /// A legal move of an expanded node.
    struct Edge {
        CompletedValue value;      // as of the last iteration that went through it
        Index child = none;        // or none, before the first
        std::uint32_t visits = 0;  // n(s, a)
        Move move = 0;
    };

    struct TreeNode {
        State<P> state;
        CompletedValue value;
        Index first_edge = 0;
        std::uint32_t edges = 0;
        bool expanded = false;
    };

    MinimaxTree(const State<P>& root, const MinimaxConfig& config) : config_(config) {
        root_ = add(root, {});
    }

    const TreeNode& root() const { return nodes_[root_]; }
    const std::vector<TreeNode>& nodes() const { return nodes_; }
    std::span<const Edge> edges_of(const TreeNode& node) const {
        return {edges_.data() + node.first_edge, node.edges};
    }
    /// The positions that were evaluated since the last move.
    std::uint64_t evaluations() const { return evaluations_; }
    std::size_t bytes() const {
        return nodes_.size() * (sizeof(TreeNode) + sizeof(Node<P>) + 64) + edges_.size() * sizeof(Edge);
    }
    bool full() const {
        return bytes() >= config_.megabytes << 20 || edges_.size() >= none - MoveList::capacity;
    }
    /// Whether nothing is left to search.
    bool finished() const { return root().value.resolved || (full() && root().expanded); }

    /// Whether a search up to `evaluations` since the last move goes on. Descent ends an iteration that it
    /// has begun: only the end of a game tells it more than it knew.
    bool goes_on(std::uint64_t evaluations) const { return evaluations_ < evaluations || descending_; }

    /// The leaf of the iteration. None if the tree is finished, or if the iteration came to a state that
    /// another order of moves resolved; it is then over. A leaf must be expanded before the next call.
    Index select() {
        if (finished()) return none;
        Index at = path_.empty() ? root_ : edges_[path_.back().second].child;
        while (nodes_[at].expanded && !nodes_[at].value.resolved) at = follow(at);
        if (!nodes_[at].value.resolved) return at;
        back_up();
        return none;
    }

    /// Expands the leaf of `select`. `evaluate(child)` gives the value, for player 0, of a child (a Node<P>)
    /// whose game goes on.
    template <class Evaluate>
    void expand(Index leaf, Evaluate evaluate) {
        const State<P> state = nodes_[leaf].state;
        MoveList moves;
        state.legal_moves(moves);
        nodes_[leaf].first_edge = static_cast<Index>(edges_.size());
        nodes_[leaf].edges = static_cast<std::uint32_t>(moves.size());
        nodes_[leaf].expanded = true;
        for (const Move move : moves) {
            Node<P> child(state.position(), state.shared_node(), move);
            child.position.play(move);
            child.outcome = P::outcome(child);
            Edge& edge = edges_.emplace_back();
            edge.move = move;
            if (child.outcome.over()) {
                edge.value = end_value(child);
            } else {
                edge.value.value = evaluate(child);
                ++evaluations_;
            }
        }
        update(leaf);
        descending_ = config_.descend && !nodes_[leaf].value.resolved;
        if (!descending_) back_up();
    }

    /// Ends the iteration: backs up the values along its way. Call it when a search stops.
    void back_up() {
        descending_ = false;
        for (; !path_.empty(); path_.pop_back()) {
            const auto [at, index] = path_.back();
            edges_[index].value = nodes_[edges_[index].child].value;
            update(at);
        }
    }

    /// The move to play, by the safest decision: a proven win, the one of the best score; else the unresolved
    /// move that the search went through most often, unless a proven draw is worth more. Throws
    /// std::logic_error if the root was not expanded.
    Move safest() const {
        const Player player = root().state.position().side();
        const auto edges = edges_of(root());
        if (edges.empty()) throw std::logic_error("the root of the tree was not expanded");
        const auto safer = [player](const Edge& a, const Edge& b) {
            const CompletedValue &u = a.value, &w = b.value;
            const bool by_visits = u.completion == w.completion && !u.resolved && !w.resolved;
            return by_visits && a.visits != b.visits ? a.visits > b.visits : better(u, w, player);
        };
        // Unresolved moves first, among which the order is by visits; then each resolved one against the
        // best.
        const Edge* best = nullptr;
        for (const bool resolved : {false, true}) {
            for (const Edge& edge : edges) {
                if (edge.value.resolved == resolved && (!best || safer(edge, *best))) best = &edge;
            }
        }
        return best->move;
    }

    /// The best moves from the root on.
    std::vector<Move> pv() const {
        std::vector<Move> result;
        for (Index at = root_; at != none && nodes_[at].expanded && nodes_[at].edges;) {
            const Edge& edge = best_edge(nodes_[at], false);
            result.push_back(edge.move);
            at = edge.child;
        }
        return result;
    }

    /// Plays a legal move at the root. The tree is kept, what is not below the root as well: learning wants
    /// it. Throws IllegalMove.
    void advance(Move move) {
        back_up();
        evaluations_ = 0;
        for (Edge& edge : std::span(edges_.data() + root().first_edge, root().edges)) {
            if (edge.move != move) continue;
            if (edge.child == none) edge.child = child_of(root_, edge.move, edge.value);
            root_ = edge.child;
            return;
        }
        root_ = add(root().state.play(move), {});
    }

    /// Drops what is not below the root.
    void compact() {
        back_up();
        MinimaxTree kept(root().state, config_);
        kept.nodes_.clear();
        kept.index_.clear();
        kept.evaluations_ = evaluations_;
        std::unordered_map<Index, Index> images{{root_, 0}};
        std::vector<Index> sources{root_};
        for (Index at = 0; at < sources.size(); ++at) {
            TreeNode node = nodes_[sources[at]];
            const auto edges = edges_of(node);
            node.first_edge = static_cast<Index>(kept.edges_.size());
            for (Edge edge : edges) {
                if (edge.child != none) {
                    const auto [image, added] =
                        images.try_emplace(edge.child, static_cast<Index>(sources.size()));
                    if (added) sources.push_back(edge.child);
                    edge.child = image->second;
                }
                kept.edges_.push_back(edge);
            }
            if constexpr (!positions_recur<P>) kept.index_.emplace(key_of(node.state), at);
            kept.nodes_.push_back(std::move(node));
        }
        kept.root_ = 0;
        *this = std::move(kept);
    }

    /// Backs all values up, from the end of the game to its beginning: an iteration updates the nodes on its
    /// own way only. A move that no line went through keeps the value of its evaluation.
    void back_up_all() {
        std::vector<Index> order(nodes_.size());
        std::iota(order.begin(), order.end(), Index{0});
        std::stable_sort(order.begin(), order.end(), [this](Index a, Index b) {
            return nodes_[a].state.node().ply > nodes_[b].state.node().ply;
        });
        for (const Index at : order) {
            if (!nodes_[at].expanded) continue;
            for (Edge& edge : std::span(edges_.data() + nodes_[at].first_edge, nodes_[at].edges)) {
                if (edge.child != none && nodes_[edge.child].expanded) edge.value = nodes_[edge.child].value;
            }
            update(at);
        }
    }

 private:
    Index add(const State<P>& state, CompletedValue value) {
        const auto at = static_cast<Index>(nodes_.size());
        if (state.outcome().over()) value = end_value(state.node());
        nodes_.push_back({state, value});
        if constexpr (!positions_recur<P>) index_.emplace(key_of(state), at);
        return at;
    }

    /// Equal for states whose values are: the score of an end depends on the ply.
    static std::uint64_t key_of(const State<P>& state) {
        return Random(state.position().key() ^ (std::uint64_t{state.node().ply} << 48)).next();
    }

    CompletedValue end_value(const Node<P>& end) const {
        const int winner = end.outcome.winner;
        if (winner < 0) return {0, 0, true};
        const auto ply =
            static_cast<float>(std::min<std::uint32_t>(end.ply, static_cast<std::uint32_t>(config_.horizon)));
        const float score = 1.0f - ply / (2.0f * static_cast<float>(config_.horizon));
        return {winner == 0 ? score : -score, static_cast<std::int8_t>(winner == 0 ? 1 : -1), true};
    }

    /// The best edge of an expanded node; among the unresolved ones only, if there is one.
    const Edge& best_edge(const TreeNode& node, bool unresolved) const {
        const Player player = node.state.position().side();
        const Edge* best = nullptr;
        for (const Edge& edge : edges_of(node)) {
            if (unresolved && edge.value.resolved) continue;
            if (!best || better(edge.value, best->value, player)) best = &edge;
        }
        return best ? *best : edges_of(node).front();
    }

    /// Goes through the best unresolved edge of a node. Returns its child.
    Index follow(Index at) {
        const auto index = static_cast<Index>(&best_edge(nodes_[at], true) - edges_.data());
        Edge& edge = edges_[index];
        if (edge.child == none) edge.child = child_of(at, edge.move, edge.value);
        ++edge.visits;
        path_.push_back({at, index});
        return edge.child;
    }

    /// The node after a move: a new one, unless another order of moves has led there.
    Index child_of(Index at, Move move, const CompletedValue& value) {
        const State<P> state = nodes_[at].state.play_unchecked(move);
        if constexpr (!positions_recur<P>) {
            if (const auto known = index_.find(key_of(state)); known != index_.end()) return known->second;
        }
        return add(state, value);
    }

    /// Sets v, c and r of an expanded node by its edges. A position without moves is a draw.
    void update(Index at) {
        TreeNode& node = nodes_[at];
        const auto edges = edges_of(node);
        node.value = edges.empty() ? CompletedValue{} : best_edge(node, false).value;
        const bool won = node.value.completion == (node.state.position().side() == 0 ? 1 : -1);
        node.value.resolved = won || std::all_of(edges.begin(), edges.end(),
                                                 [](const Edge& edge) { return edge.value.resolved; });
    }

    MinimaxConfig config_;
    std::vector<TreeNode> nodes_;
    std::vector<Edge> edges_;
    std::unordered_map<std::uint64_t, Index> index_;  // by key_of; empty if positions recur
    std::vector<std::pair<Index, Index>> path_;       // of the iteration: nodes and the edges it went through
    Index root_ = 0;
    std::uint64_t evaluations_ = 0;
    bool descending_ = false;  // whether Descent is within an iteration
};

}  // namespace sparring::search
