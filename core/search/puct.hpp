// The PUCT tree (Rosin 2011; Silver et al. 2017) over any game. It asks for evaluations in batches and knows
// nothing of who gives them.
//
// A node's value is for its side to move, from -1 (lost) to 1 (won). A move's score in its parent is
//     Q(a) + c P(a) sqrt(sum of N) / (1 + N(a)),
// where visits that are still waiting for their evaluation count as visits that lost (virtual loss). With
// batches of one nothing ever waits, and the search is the textbook's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "game/state.hpp"
#include "search/puct_nodes.hpp"

namespace sparring::search {

/// The arguments of the search.
struct PuctParams {
    double c_puct = 1.5;  // c; infinite to go by the prior alone
    double c_base = 0;    // c grows by factor * log((N + base + 1) / base) where the base is above 0
    double c_factor = 0;
    double prior_temperature = 1;  // t: priors are p^(1/t), brought back to a sum of 1
    bool fpu_absolute = false;     // an unvisited move's Q is this value,
    double fpu_reduction = 0.3;    // or the parent's less this times the root of the priors visited
    bool find_immediate_wins =
        true;                      // moves of the root that win at once are seen, however unlikely they are
    bool repetition_draws = true;  // a position that came up before in the tree counts as drawn
    double draw_value = 0;         // of a drawn game, for the side to move at the root
    std::size_t memory = std::size_t{1} << 30;  // bytes after which no node is added
};

template <GamePosition P>
class PuctTree : PuctNodes<P> {
    using Base = PuctNodes<P>;
    using Base::reroot, Base::edges_, Base::edges_of, Base::find, Base::forced_at, Base::forced_by,
        Base::mean, Base::moves_of, Base::nodes_, Base::backpropagate_proof, Base::same_side;
    using typename Base::Edge, typename Base::NodeStatus, typename Base::TreeNode;

 public:
    using Base::none;
    using Base::pv;
    using typename Base::Index, typename Base::RootMove;

    PuctTree(const State<P>& root, const PuctParams& params) : params_(params) { reset_root(root); }

    const State<P>& root() const { return nodes_[0].state; }
    std::uint32_t visits() const { return nodes_[0].visits; }
    double value() const {
        const int forced = forced_at(nodes_[0]);
        return forced == 0 ? mean(nodes_[0]) : forced > 0 ? 1.0 : -1.0;
    }
    std::size_t size() const { return nodes_.size(); }
    bool has_pending() const { return !pending_leaves_.empty(); }
    bool full() const { return bytes() >= params_.memory; }
    int max_depth() const { return max_depth_; }

    /// About how much memory the tree takes.
    std::size_t bytes() const {
        return nodes_.size() * (sizeof(TreeNode) + sizeof(Node<P>) + 64) + edges_.size() * sizeof(Edge);
    }

    /// Up to `count` leaves that need an evaluation. Ends of games on the way are counted at once, at most
    /// `visits` visits altogether. Fewer come back where the tree is too narrow, full, or all is known.
    std::vector<State<P>> select(std::size_t count, std::uint32_t visits) {
        if (has_pending()) throw std::logic_error("the leaves that were asked for are not evaluated yet");
        if (params_.find_immediate_wins && !immediate_wins_found_ && nodes_[0].status == NodeStatus::open) {
            immediate_wins_found_ = true;
            visits -= std::min(visits, find_immediate_wins());
        }
        if (all_forced()) return {};
        visits = std::min(visits, none - nodes_[0].visits);  // ends are quick: they fill the counter
        std::vector<Index> collisions;
        std::vector<State<P>> leaves;
        while (leaves.size() < count && collisions.size() < count && visits > 0) {
            const Index leaf = select_leaf();
            if (leaf == none) break;
            TreeNode& node = nodes_[leaf];
            if (node.status == NodeStatus::terminal) {
                if (node.visits == 0 && node.forced != 0) backpropagate_proof(leaf);
                backpropagate(leaf, node.end_value);
                --visits;
            } else if (node.status == NodeStatus::evaluating) {
                collisions.push_back(leaf);  // its virtual loss stays until the batch is full
            } else {
                node.status = NodeStatus::evaluating;
                pending_leaves_.push_back(leaf);
                leaves.push_back(node.state);
                --visits;
            }
        }
        for (const Index leaf : collisions) remove_virtual_loss(leaf);
        return leaves;
    }

    /// The evaluations of the leaves last asked for: the priors of their legal moves in ascending order, one
    /// leaf's after the other's, and a value each.
    void evaluate(std::span<const float> priors, std::span<const float> values) {
        if (values.size() != pending_leaves_.size())
            throw std::invalid_argument("a value for each leaf expected");
        std::size_t needed = 0;
        MoveList list;
        for (const Index leaf : pending_leaves_) {
            nodes_[leaf].state.legal_moves(list);
            needed += list.size();
        }
        if (needed != priors.size()) throw std::invalid_argument("a prior for each legal move expected");
        for (std::size_t i = 0; i < pending_leaves_.size(); ++i) {
            TreeNode& node = nodes_[pending_leaves_[i]];
            node.state.legal_moves(list);
            open(node, list, priors.first(list.size()));
            priors = priors.subspan(list.size());
            backpropagate(pending_leaves_[i], std::clamp(static_cast<double>(values[i]), -1.0, 1.0));
        }
        pending_leaves_.clear();
    }

    /// Leaves that were asked for will not be evaluated.
    void cancel() {
        for (const Index leaf : pending_leaves_) {
            nodes_[leaf].status = NodeStatus::unexpanded;
            remove_virtual_loss(leaf);
        }
        pending_leaves_.clear();
    }

    /// Mixes noise into the root's priors: (1 - share) p + share noise.
    void add_noise(std::span<const float> noise, double share) {
        const auto edges = edges_of(nodes_[0]);
        if (noise.size() != edges.size()) throw std::invalid_argument("noise for each legal move expected");
        for (std::size_t i = 0; i < edges.size(); ++i) {
            edges[i].prior = static_cast<float>((1 - share) * edges[i].prior + share * noise[i]);
        }
    }

    /// Only these moves of the root are searched from now on.
    void restrict(const std::vector<Move>& moves) {
        searchmoves_ = moves;
        immediate_wins_found_ = false;
    }

    /// The moves of the root in ascending order; none before it was evaluated.
    std::vector<RootMove> root_moves() const { return moves_of(nodes_[0]); }

    /// Plays a move at the root. What the tree knows of it stays, all else is let go.
    void advance(Move move) {
        cancel();
        searchmoves_.clear();
        const Edge* edge = find(nodes_[0], move);
        if (!edge || edge->child == none) {
            reset_root(nodes_[0].state.play(move));
            return;
        }
        reroot(edge->child);
        immediate_wins_found_ = false;
        max_depth_ = 0;
        // What counted as drawn because it repeated a position of the tree may do so no longer.
    }

 private:
    void reset_root(const State<P>& root) {
        nodes_.clear();
        edges_.clear();
        searchmoves_.clear();
        immediate_wins_found_ = false;
        max_depth_ = 0;
        nodes_.emplace_back(root, none);
        mark_if_terminal(nodes_[0]);
    }

    /// A finished game, or a position of this tree come up again, has a value of its own.
    void mark_if_terminal(TreeNode& node) {
        const Outcome outcome = node.state.outcome();
        const Player side = node.state.position().side();
        const double draw =
            side == nodes_[0].state.position().side() ? params_.draw_value : -params_.draw_value;
        if (outcome.over()) {
            node.status = NodeStatus::terminal;
            if (outcome.winner != Outcome::no_winner) node.forced = outcome.winner == side ? 1 : -1;
            node.end_value = node.forced != 0 ? node.forced : draw;
        } else if (params_.repetition_draws && &node != &nodes_[0] && repeats(node)) {
            node.status = NodeStatus::terminal;
            node.end_value = draw;
        }
    }

    /// Whether the position came up before since the root, or twice before in the game.
    bool repeats(const TreeNode& node) const {
        const std::uint32_t since_root = node.state.node().ply - nodes_[0].state.node().ply;
        return occurrences(node.state.node(), since_root) > 1 ||
               occurrences(node.state.node(), node.state.node().ply) > 2;
    }

    bool is_searchmove(Move move) const {
        return searchmoves_.empty() ||
               std::find(searchmoves_.begin(), searchmoves_.end(), move) != searchmoves_.end();
    }

    /// Whether it is certain where every move of the root leads.
    bool all_forced() const {
        const auto edges = edges_of(nodes_[0]);
        return !edges.empty() && std::all_of(edges.begin(), edges.end(), [this](const Edge& edge) {
            return !is_searchmove(edge.move) || forced_by(nodes_[0], edge) != 0;
        });
    }

    /// Visits the moves of the root that win at once and were not tried yet; how many there are.
    std::uint32_t find_immediate_wins() {
        const State<P> root = nodes_[0].state;
        std::uint32_t wins = 0;
        for (Index i = nodes_[0].first_edge; i < nodes_[0].first_edge + nodes_[0].edges; ++i) {
            if (edges_[i].child != none || !is_searchmove(edges_[i].move)) continue;
            const State<P> next = root.play_unchecked(edges_[i].move);
            if (!next.outcome().over() || next.outcome().winner != root.position().side()) continue;
            const Index child = add(next, 0, edges_[i]);
            ++nodes_[0].in_flight, ++nodes_[child].in_flight, ++wins;
            backpropagate(child, nodes_[child].end_value);
            max_depth_ = std::max(max_depth_, 1);
        }
        return wins;
    }

    /// A new node below another, where an edge leads.
    Index add(const State<P>& state, Index parent, Edge& edge) {
        edge.child = static_cast<Index>(nodes_.size());
        nodes_.emplace_back(state, parent);
        mark_if_terminal(nodes_.back());
        return edge.child;
    }

    /// From the root along the best scores to a node that is not open, each counted as pending; `none` where
    /// no node can be added.
    Index select_leaf() {
        Index at = 0;
        int depth = 0;
        ++nodes_[0].in_flight;
        while (nodes_[at].status == NodeStatus::open) {
            const std::size_t best = select_child(nodes_[at], at == 0);
            Index child = edges_[best].child;
            if (child == none) {
                if (full()) {
                    remove_virtual_loss(at);
                    return none;
                }
                child = add(nodes_[at].state.play_unchecked(edges_[best].move), at, edges_[best]);
            }
            at = child;
            ++nodes_[at].in_flight;
            max_depth_ = std::max(max_depth_, ++depth);
        }
        return at;
    }

    /// The edge with the best score; of equals the likelier, then the first.
    std::size_t select_child(const TreeNode& node, bool is_root) const {
        std::uint32_t tried = 0;
        double prior_tried = 0;
        for (const Edge& edge : edges_of(node)) {
            if (edge.child == none) continue;
            const TreeNode& child = nodes_[edge.child];
            tried += child.visits + child.in_flight;
            if (child.visits + child.in_flight) prior_tried += edge.prior;
        }
        const bool by_prior = std::isinf(params_.c_puct);
        const double scale = (by_prior ? 1.0 : c_puct(tried)) * std::sqrt(static_cast<double>(tried));
        const double fpu_reduction = fpu_value(node, prior_tried);
        std::size_t best = node.first_edge;
        double best_score = -std::numeric_limits<double>::infinity();
        float best_prior = -1;
        for (std::size_t i = node.first_edge; i < node.first_edge + node.edges; ++i) {
            const Edge& edge = edges_[i];
            if (is_root && !is_searchmove(edge.move)) continue;
            double visits = 0, q = fpu_reduction;
            if (edge.child != none) {
                const TreeNode& child = nodes_[edge.child];
                visits = child.visits + child.in_flight;
                const double won = same_side(node, child) ? child.total : -child.total;
                if (visits > 0) q = (won - child.in_flight) / visits;
            }
            const double score = (by_prior ? 0 : q) + scale * edge.prior / (1 + visits);
            if (score > best_score || (score == best_score && edge.prior > best_prior)) {
                best = i, best_score = score, best_prior = edge.prior;
            }
        }
        return best;
    }

    double c_puct(std::uint32_t visits) const {
        if (params_.c_base <= 0) return params_.c_puct;
        return params_.c_puct + params_.c_factor * std::log((visits + params_.c_base + 1) / params_.c_base);
    }

    double fpu_value(const TreeNode& node, double prior_tried) const {
        if (params_.fpu_absolute) return params_.fpu_reduction;
        return (node.visits ? mean(node) : 0.0) - params_.fpu_reduction * std::sqrt(prior_tried);
    }

    void open(TreeNode& node, const MoveList& list, std::span<const float> priors) {
        node.first_edge = static_cast<Index>(edges_.size());
        node.edges = static_cast<std::uint32_t>(list.size());
        node.status = NodeStatus::open;
        const bool plain = params_.prior_temperature == 1;
        std::vector<double> weights(priors.begin(), priors.end());
        double total = 0;
        for (double& weight : weights) {
            if (!(weight >= 0)) throw std::invalid_argument("a prior is a number that is not below 0");
            if (!plain) weight = std::pow(weight, 1 / params_.prior_temperature);
            total += weight;
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            const double share = total > 0 ? weights[i] / total : 1.0 / static_cast<double>(list.size());
            edges_.push_back({static_cast<float>(share), none, list[i]});
        }
    }

    /// A value for the side to move at a node, to the node and all above it.
    void backpropagate(Index at, double value) {
        Player side = nodes_[at].state.position().side();
        for (; at != none; at = nodes_[at].parent) {
            TreeNode& node = nodes_[at];
            if (node.state.position().side() != side) {
                value = -value;
                side = node.state.position().side();
            }
            if (node.status == NodeStatus::terminal)
                value = node.end_value;  // proved while the leaf below it waited
            ++node.visits;
            --node.in_flight;
            node.total += value;
        }
    }

    /// Takes back a descent that led to nothing.
    void remove_virtual_loss(Index at) {
        for (; at != none; at = nodes_[at].parent) --nodes_[at].in_flight;
    }

    PuctParams params_;
    std::vector<Index> pending_leaves_;
    std::vector<Move> searchmoves_;
    bool immediate_wins_found_ = false;
    int max_depth_ = 0;
};

}  // namespace sparring::search
