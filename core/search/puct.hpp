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
struct PuctRules {
    double exploration = 1.5;  // c; infinite to go by the prior alone
    double growth_base = 0;    // c grows by factor * log((N + base + 1) / base) where the base is above 0
    double growth_factor = 0;
    double prior_temperature = 1;     // t: priors are p^(1/t), brought back to a sum of 1
    bool unvisited_absolute = false;  // an unvisited move's Q is this value,
    double unvisited = 0.3;           // or the parent's less this times the root of the priors visited
    bool seek_wins = true;         // moves of the root that win at once are seen, however unlikely they are
    bool repetition_draws = true;  // a position that came up before in the tree counts as drawn
    double draw_value = 0;         // of a drawn game, for the side to move at the root
    std::size_t memory = std::size_t{1} << 30;  // bytes after which no node is added
};

template <GamePosition P>
class PuctTree : PuctNodes<P> {
    using Base = PuctNodes<P>;
    using Base::adopt, Base::edges_, Base::edges_of, Base::find, Base::forced_at, Base::forced_by, Base::mean,
        Base::moves_of, Base::nodes_, Base::prove_above, Base::same_side;
    using typename Base::Edge, typename Base::Kind, typename Base::TreeNode;

 public:
    using Base::line;
    using Base::none;
    using typename Base::Index, typename Base::RootMove;

    PuctTree(const State<P>& root, const PuctRules& rules) : rules_(rules) { plant(root); }

    const State<P>& root() const { return nodes_[0].state; }
    std::uint32_t visits() const { return nodes_[0].visits; }
    double value() const {
        const int forced = forced_at(nodes_[0]);
        return forced == 0 ? mean(nodes_[0]) : forced > 0 ? 1.0 : -1.0;
    }
    std::size_t size() const { return nodes_.size(); }
    bool waits() const { return !waiting_.empty(); }
    bool full() const { return bytes() >= rules_.memory; }
    int deepest() const { return deepest_; }

    /// About how much memory the tree takes.
    std::size_t bytes() const {
        return nodes_.size() * (sizeof(TreeNode) + sizeof(Node<P>) + 64) + edges_.size() * sizeof(Edge);
    }

    /// Up to `count` leaves that need an evaluation. Ends of games on the way are counted at once, at most
    /// `visits` visits altogether. Fewer come back where the tree is too narrow, full, or all is known.
    std::vector<State<P>> select(std::size_t count, std::uint32_t visits) {
        if (waits()) throw std::logic_error("the leaves that were asked for are not evaluated yet");
        if (rules_.seek_wins && !sought_ && nodes_[0].kind == Kind::open) {
            sought_ = true;
            visits -= std::min(visits, seek_wins());
        }
        if (all_forced()) return {};
        visits = std::min(visits, none - nodes_[0].visits);  // ends are quick: they fill the counter
        std::vector<Index> met_again;
        std::vector<State<P>> leaves;
        while (leaves.size() < count && met_again.size() < count && visits > 0) {
            const Index leaf = descend();
            if (leaf == none) break;
            TreeNode& node = nodes_[leaf];
            if (node.kind == Kind::ended) {
                if (node.visits == 0 && node.forced != 0) prove_above(leaf);
                give_back(leaf, node.end_value);
                --visits;
            } else if (node.kind == Kind::waiting) {
                met_again.push_back(leaf);  // its virtual loss stays until the batch is full
            } else {
                node.kind = Kind::waiting;
                waiting_.push_back(leaf);
                leaves.push_back(node.state);
                --visits;
            }
        }
        for (const Index leaf : met_again) forget(leaf);
        return leaves;
    }

    /// The evaluations of the leaves last asked for: the priors of their legal moves in ascending order, one
    /// leaf's after the other's, and a value each.
    void evaluate(std::span<const float> priors, std::span<const float> values) {
        if (values.size() != waiting_.size()) throw std::invalid_argument("a value for each leaf expected");
        std::size_t needed = 0;
        MoveList list;
        for (const Index leaf : waiting_) {
            nodes_[leaf].state.legal_moves(list);
            needed += list.size();
        }
        if (needed != priors.size()) throw std::invalid_argument("a prior for each legal move expected");
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            TreeNode& node = nodes_[waiting_[i]];
            node.state.legal_moves(list);
            open(node, list, priors.first(list.size()));
            priors = priors.subspan(list.size());
            give_back(waiting_[i], std::clamp(static_cast<double>(values[i]), -1.0, 1.0));
        }
        waiting_.clear();
    }

    /// Leaves that were asked for will not be evaluated.
    void cancel() {
        for (const Index leaf : waiting_) {
            nodes_[leaf].kind = Kind::fresh;
            forget(leaf);
        }
        waiting_.clear();
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
        only_ = moves;
        sought_ = false;
    }

    /// The moves of the root in ascending order; none before it was evaluated.
    std::vector<RootMove> root_moves() const { return moves_of(nodes_[0]); }

    /// Plays a move at the root. What the tree knows of it stays, all else is let go.
    void advance(Move move) {
        cancel();
        only_.clear();
        const Edge* edge = find(nodes_[0], move);
        if (!edge || edge->child == none) {
            plant(nodes_[0].state.play(move));
            return;
        }
        adopt(edge->child);
        sought_ = false;
        deepest_ = 0;
        // What counted as drawn because it repeated a position of the tree may do so no longer.
    }

 private:
    void plant(const State<P>& root) {
        nodes_.clear();
        edges_.clear();
        only_.clear();
        sought_ = false;
        deepest_ = 0;
        nodes_.emplace_back(root, none);
        close_if_over(nodes_[0]);
    }

    /// A finished game, or a position of this tree come up again, has a value of its own.
    void close_if_over(TreeNode& node) {
        const Outcome outcome = node.state.outcome();
        const Player side = node.state.position().side();
        const double draw =
            side == nodes_[0].state.position().side() ? rules_.draw_value : -rules_.draw_value;
        if (outcome.over()) {
            node.kind = Kind::ended;
            if (outcome.winner != Outcome::nobody) node.forced = outcome.winner == side ? 1 : -1;
            node.end_value = node.forced != 0 ? node.forced : draw;
        } else if (rules_.repetition_draws && &node != &nodes_[0] && repeats(node)) {
            node.kind = Kind::ended;
            node.end_value = draw;
        }
    }

    /// Whether the position came up before since the root, or twice before in the game.
    bool repeats(const TreeNode& node) const {
        const std::uint32_t since_root = node.state.node().ply - nodes_[0].state.node().ply;
        return occurrences(node.state.node(), since_root) > 1 ||
               occurrences(node.state.node(), node.state.node().ply) > 2;
    }

    bool searched(Move move) const {
        return only_.empty() || std::find(only_.begin(), only_.end(), move) != only_.end();
    }

    /// Whether it is certain where every move of the root leads.
    bool all_forced() const {
        const auto edges = edges_of(nodes_[0]);
        return !edges.empty() && std::all_of(edges.begin(), edges.end(), [this](const Edge& edge) {
            return !searched(edge.move) || forced_by(nodes_[0], edge) != 0;
        });
    }

    /// Visits the moves of the root that win at once and were not tried yet; how many there are.
    std::uint32_t seek_wins() {
        const State<P> root = nodes_[0].state;
        std::uint32_t wins = 0;
        for (Index i = nodes_[0].first_edge; i < nodes_[0].first_edge + nodes_[0].edges; ++i) {
            if (edges_[i].child != none || !searched(edges_[i].move)) continue;
            const State<P> next = root.follow(edges_[i].move);
            if (!next.outcome().over() || next.outcome().winner != root.position().side()) continue;
            const Index child = add(next, 0, edges_[i]);
            ++nodes_[0].pending, ++nodes_[child].pending, ++wins;
            give_back(child, nodes_[child].end_value);
            deepest_ = std::max(deepest_, 1);
        }
        return wins;
    }

    /// A new node below another, where an edge leads.
    Index add(const State<P>& state, Index parent, Edge& edge) {
        edge.child = static_cast<Index>(nodes_.size());
        nodes_.emplace_back(state, parent);
        close_if_over(nodes_.back());
        return edge.child;
    }

    /// From the root along the best scores to a node that is not open, each counted as pending; `none` where
    /// no node can be added.
    Index descend() {
        Index at = 0;
        int depth = 0;
        ++nodes_[0].pending;
        while (nodes_[at].kind == Kind::open) {
            const std::size_t best = pick(nodes_[at], at == 0);
            Index child = edges_[best].child;
            if (child == none) {
                if (full()) {
                    forget(at);
                    return none;
                }
                child = add(nodes_[at].state.follow(edges_[best].move), at, edges_[best]);
            }
            at = child;
            ++nodes_[at].pending;
            deepest_ = std::max(deepest_, ++depth);
        }
        return at;
    }

    /// The edge with the best score; of equals the likelier, then the first.
    std::size_t pick(const TreeNode& node, bool is_root) const {
        std::uint32_t tried = 0;
        double prior_tried = 0;
        for (const Edge& edge : edges_of(node)) {
            if (edge.child == none) continue;
            const TreeNode& child = nodes_[edge.child];
            tried += child.visits + child.pending;
            if (child.visits + child.pending) prior_tried += edge.prior;
        }
        const bool by_prior = std::isinf(rules_.exploration);
        const double scale = (by_prior ? 1.0 : exploration(tried)) * std::sqrt(static_cast<double>(tried));
        const double unvisited = value_of_unvisited(node, prior_tried);
        std::size_t best = node.first_edge;
        double best_score = -std::numeric_limits<double>::infinity();
        float best_prior = -1;
        for (std::size_t i = node.first_edge; i < node.first_edge + node.edges; ++i) {
            const Edge& edge = edges_[i];
            if (is_root && !searched(edge.move)) continue;
            double visits = 0, q = unvisited;
            if (edge.child != none) {
                const TreeNode& child = nodes_[edge.child];
                visits = child.visits + child.pending;
                const double won = same_side(node, child) ? child.total : -child.total;
                if (visits > 0) q = (won - child.pending) / visits;
            }
            const double score = (by_prior ? 0 : q) + scale * edge.prior / (1 + visits);
            if (score > best_score || (score == best_score && edge.prior > best_prior)) {
                best = i, best_score = score, best_prior = edge.prior;
            }
        }
        return best;
    }

    double exploration(std::uint32_t visits) const {
        if (rules_.growth_base <= 0) return rules_.exploration;
        return rules_.exploration +
               rules_.growth_factor * std::log((visits + rules_.growth_base + 1) / rules_.growth_base);
    }

    double value_of_unvisited(const TreeNode& node, double prior_tried) const {
        if (rules_.unvisited_absolute) return rules_.unvisited;
        return (node.visits ? mean(node) : 0.0) - rules_.unvisited * std::sqrt(prior_tried);
    }

    void open(TreeNode& node, const MoveList& list, std::span<const float> priors) {
        node.first_edge = static_cast<Index>(edges_.size());
        node.edges = static_cast<std::uint32_t>(list.size());
        node.kind = Kind::open;
        const bool plain = rules_.prior_temperature == 1;
        std::vector<double> weights(priors.begin(), priors.end());
        double total = 0;
        for (double& weight : weights) {
            if (!(weight >= 0)) throw std::invalid_argument("a prior is a number that is not below 0");
            if (!plain) weight = std::pow(weight, 1 / rules_.prior_temperature);
            total += weight;
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            const double share = total > 0 ? weights[i] / total : 1.0 / static_cast<double>(list.size());
            edges_.push_back({static_cast<float>(share), none, list[i]});
        }
    }

    /// A value for the side to move at a node, to the node and all above it.
    void give_back(Index at, double value) {
        Player side = nodes_[at].state.position().side();
        for (; at != none; at = nodes_[at].parent) {
            TreeNode& node = nodes_[at];
            if (node.state.position().side() != side) {
                value = -value;
                side = node.state.position().side();
            }
            if (node.kind == Kind::ended) value = node.end_value;  // proved while the leaf below it waited
            ++node.visits;
            --node.pending;
            node.total += value;
        }
    }

    /// Takes back a descent that led to nothing.
    void forget(Index at) {
        for (; at != none; at = nodes_[at].parent) --nodes_[at].pending;
    }

    PuctRules rules_;
    std::vector<Index> waiting_;
    std::vector<Move> only_;
    bool sought_ = false;
    int deepest_ = 0;
};

}  // namespace sparring::search
