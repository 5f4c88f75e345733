// PUCT search with batched evaluation and an MCTS solver.
//
// The tree gives out leaves in batches and takes their evaluations (priors and a value); it does not know the
// evaluator. A node's value is for its side to move, from -1 (lost) to 1 (won). `puct_selection.hpp` has the
// selection rule, `mcts_solver.hpp` the proofs, `puct_results.hpp` the results. A descent that ends in a leaf
// that already waits for its evaluation is a collision and ends the batch. With batches of one leaf nothing
// waits, and the search is the textbook's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "game/state.hpp"
#include "search/gumbel.hpp"
#include "search/mcts_solver.hpp"
#include "search/ownership.hpp"
#include "search/puct_config.hpp"
#include "search/puct_results.hpp"
#include "search/puct_selection.hpp"
#include "search/search_tree.hpp"

namespace sparring::search {

/// Throws std::invalid_argument unless there are `needed` priors and all numbers are valid.
inline void check_evaluation(std::span<const float> priors, std::span<const float> values,
                             std::size_t needed) {
    if (priors.size() != needed) throw std::invalid_argument("one prior for each legal move expected");
    if (!std::all_of(priors.begin(), priors.end(), [](float p) { return p >= 0 && std::isfinite(p); }))
        throw std::invalid_argument("priors must be finite numbers of at least 0");
    if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }))
        throw std::invalid_argument("values must be finite numbers");
}

/// A search tree. One thread at a time may use it: `ownership` says so to others.
template <GamePosition P>
class PuctTree {
    using Tree = SearchTree<P>;
    using TreeNode = typename Tree::TreeNode;
    using Edge = typename Tree::Edge;
    using Index = typename Tree::Index;
    static constexpr Index none = Tree::none;

 public:
    PuctTree(const State<P>& root, const PuctConfig& config) : config_(config) { reset(root); }

    Ownership ownership;

    // ---- Search: select leaves, evaluate them ----

    /// Up to `count` leaves to evaluate. Terminal nodes on the way are visited at once; `visits` limits all
    /// visits together. Fewer leaves come back if the tree is too narrow, full, or solved. Throws
    /// std::logic_error while earlier leaves wait.
    std::vector<State<P>> select(std::size_t count, std::uint32_t visits) {
        if (!pending_.empty()) throw std::logic_error("the leaves that were asked for are not evaluated yet");
        if (config_.find_immediate_wins && !immediate_wins_found_ &&
            root_node().status == NodeStatus::expanded) {
            immediate_wins_found_ = true;
            visits -= std::min(visits, find_immediate_wins());
        }
        if (root_solved() || (gumbel_ && forced_at(tree_, root_node()) > 0)) return {};
        visits = std::min(visits, none - root_node().visits);  // terminal visits are fast and could overflow
        std::vector<State<P>> leaves;
        while (leaves.size() < count && visits > 0) {
            const Index leaf = select_leaf();
            if (leaf == none) break;
            if (tree_.nodes[leaf].status == NodeStatus::evaluating) {
                undo_descent(leaf);
                break;
            }
            --visits;
            if (tree_.nodes[leaf].status == NodeStatus::terminal) {
                visit_terminal(leaf);
            } else {
                add_edges(leaf);
                tree_.nodes[leaf].status = NodeStatus::evaluating;
                pending_.push_back(leaf);
                leaves.push_back(tree_.nodes[leaf].state);
            }
        }
        return leaves;
    }

    /// Evaluates the leaves of the last `select`: priors of their legal moves in ascending order, one leaf
    /// after the other, and one value each for the side to move. Throws std::invalid_argument if the sizes do
    /// not match or a number is no number; the tree is then as before, and the leaves still wait.
    void evaluate(std::span<const float> priors, std::span<const float> values) {
        if (values.size() != pending_.size()) throw std::invalid_argument("one value for each leaf expected");
        check_evaluation(priors, values, priors_needed());
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            TreeNode& node = tree_.nodes[pending_[i]];
            set_priors(node, priors.first(node.edges));
            priors = priors.subspan(node.edges);
            backpropagate(pending_[i], std::clamp(static_cast<double>(values[i]), -1.0, 1.0));
        }
        pending_.clear();
    }

    /// The number of priors that `evaluate` expects: the legal moves of all leaves of the last `select`.
    std::size_t priors_needed() const {
        std::size_t needed = 0;
        for (const Index leaf : pending_) needed += tree_.nodes[leaf].edges;
        return needed;
    }

    /// Drops the leaves of the last `select` without an evaluation.
    void cancel() {
        for (const Index leaf : pending_) {
            tree_.nodes[leaf].status = NodeStatus::unexpanded;
            undo_descent(leaf);
        }
        pending_.clear();
    }

    /// Mixes noise into the root's priors: (1 - share) P + share noise. Throws std::invalid_argument.
    void add_noise(std::span<const float> noise, double share) {
        const auto edges = tree_.edges_of(root_node());
        if (noise.size() != edges.size()) throw std::invalid_argument("noise for each legal move expected");
        for (std::size_t i = 0; i < edges.size(); ++i) {
            edges[i].prior = static_cast<float>((1 - share) * edges[i].prior + share * noise[i]);
        }
    }

    /// Searches the root by Gumbel and sequential halving (gumbel.hpp): `visits` visits of its moves from now
    /// on, none of which was visited yet. `noise` has a sample for each of them. The search ends early when a
    /// win is proven. Throws std::invalid_argument or std::logic_error.
    void begin_halving(std::span<const float> noise, GumbelConfig config, std::uint32_t visits) {
        const auto edges = tree_.edges_of(root_node());
        if (noise.size() != edges.size()) throw std::invalid_argument("noise for each legal move expected");
        const auto counts = root_counts(tree_);
        if (std::any_of(counts.begin(), counts.end(), [](std::uint32_t count) { return count != 0; }))
            throw std::logic_error("moves of the root were visited before");
        config.considered = std::min(config.considered, static_cast<std::uint32_t>(edges.size()));
        gumbel_ = GumbelRoot{config, {}, halving_schedule(config.considered, visits)};
        for (std::size_t i = 0; i < edges.size(); ++i) {
            gumbel_->scores.push_back(noise[i] +
                                      std::log(std::max(static_cast<double>(edges[i].prior), 1e-12)));
        }
    }

    /// The place among the root's moves of the move that sequential halving plays. Throws std::logic_error.
    std::size_t halving_choice() const {
        if (!gumbel_) throw std::logic_error("the root is not searched by sequential halving");
        return gumbel_choice(*gumbel_, tree_);
    }

    /// Restricts the search to these moves of the root; none for all.
    void restrict(const std::vector<Move>& moves) {
        searchmoves_ = moves;
        immediate_wins_found_ = false;
    }

    /// Plays a move at the root and keeps the tree below it. Throws IllegalMove.
    void advance(Move move) {
        cancel();
        const Edge* edge = tree_.find(root_node(), move);
        if (!edge || edge->child == none) {
            reset(root_node().state.play(move));
            return;
        }
        tree_ = tree_.subtree(edge->child);
        searchmoves_.clear();
        gumbel_.reset();
        immediate_wins_found_ = false;
        max_depth_ = 0;
        TreeNode& root = root_node();
        if (root.status == NodeStatus::terminal && !root.state.outcome().over()) {
            root.status = root.edges != 0 ? NodeStatus::expanded : NodeStatus::unexpanded;
            root.forced = 0;
        }
        reopen_repetitions();
    }

    /// By how many visits the most visited move of the root leads the next; all of its visits if it is alone.
    std::uint32_t lead() const {
        std::uint32_t first = 0, second = 0;
        for (const Edge& edge : tree_.edges_of(root_node())) {
            if (!is_searchmove(edge.move)) continue;
            const std::uint32_t visits = tree_.visits_of(edge);
            second = std::max(second, std::min(first, visits));
            first = std::max(first, visits);
        }
        return first - second;
    }

    // ---- Results ----

    const State<P>& root() const { return root_node().state; }
    std::uint32_t visits() const { return root_node().visits; }
    std::size_t size() const { return tree_.nodes.size(); }
    /// The number of the root's moves; 0 before its evaluation.
    std::size_t root_size() const { return root_node().visits ? root_node().edges : 0; }
    std::size_t bytes() const { return tree_.bytes(); }
    bool full() const { return bytes() >= config_.memory_bytes(); }
    int max_depth() const { return max_depth_; }

    double value() const { return root_value(tree_); }
    std::vector<RootMove> root_moves() const { return search::root_moves(tree_); }
    std::vector<Move> pv(Move first) const { return principal_variation(tree_, first); }

 private:
    // ---- Select ----

    /// Descends from the root by `select_child` to a node that is not expanded, and counts each node on the
    /// way as in flight. `none` if the memory is used up.
    Index select_leaf() {
        Index at = 0;
        int depth = 0;
        ++tree_.nodes[0].in_flight;
        while (tree_.nodes[at].status == NodeStatus::expanded) {
            const std::size_t best =
                at == 0 && gumbel_ ? select_by_halving(*gumbel_, tree_) : select_puct(at);
            Index child = tree_.edges[best].child;
            if (child == none) {
                if (full()) {
                    undo_descent(at);
                    return none;
                }
                child = add_child(tree_.nodes[at].state.play_unchecked(tree_.edges[best].move), at, best);
            }
            at = child;
            ++tree_.nodes[at].in_flight;
            max_depth_ = std::max(max_depth_, ++depth);
        }
        return at;
    }

    std::size_t select_puct(Index at) const {
        return select_child(config_, tree_, tree_.nodes[at],
                            [this, at](Move move) { return at != 0 || is_searchmove(move); });
    }

    bool is_searchmove(Move move) const {
        return searchmoves_.empty() ||
               std::find(searchmoves_.begin(), searchmoves_.end(), move) != searchmoves_.end();
    }

    // ---- Expand ----

    void reset(const State<P>& root) {
        tree_ = {};
        searchmoves_.clear();
        gumbel_.reset();
        immediate_wins_found_ = false;
        max_depth_ = 0;
        tree_.nodes.emplace_back(root, none);
        mark_if_terminal(tree_.nodes[0]);
    }

    Index add_child(const State<P>& state, Index parent, std::size_t edge) {
        const auto child = static_cast<Index>(tree_.nodes.size());
        tree_.edges[edge].child = child;
        tree_.nodes.emplace_back(state, parent);
        mark_if_terminal(tree_.nodes.back());
        return child;
    }

    /// Makes the node terminal if the game is over or, by repetition_draws, a position is repeated.
    void mark_if_terminal(TreeNode& node) {
        const Outcome outcome = node.state.outcome();
        const Player side = node.state.position().side();
        const double draw = side == root().position().side() ? config_.draw_value : -config_.draw_value;
        if (outcome.over()) {
            node.status = NodeStatus::terminal;
            if (outcome.winner != Outcome::no_winner) node.forced = outcome.winner == side ? 1 : -1;
            node.terminal_value = node.forced != 0 ? node.forced : draw;
        } else if (config_.repetition_draws && &node != &root_node() && is_repetition(node)) {
            node.status = NodeStatus::terminal;
            node.terminal_value = draw;
        }
    }

    /// Whether the position occurred before since the root, or twice before in the game.
    bool is_repetition(const TreeNode& node) const {
        const Node<P>& line = node.state.node();
        return occurrences(line, line.ply - root().node().ply) > 1 || occurrences(line, line.ply) > 2;
    }

    /// Gives the node an edge for each legal move, unless a cancelled evaluation did.
    void add_edges(Index at) {
        TreeNode& node = tree_.nodes[at];
        if (node.edges != 0) return;
        MoveList list;
        node.state.legal_moves(list);
        node.first_edge = static_cast<Index>(tree_.edges.size());
        node.edges = static_cast<std::uint32_t>(list.size());
        for (std::size_t i = 0; i < list.size(); ++i) tree_.edges.push_back({0, none, list[i]});
    }

    /// Expands the node: its priors are P^(1/temperature), normalised to a sum of 1.
    void set_priors(TreeNode& node, std::span<const float> priors) {
        std::vector<double> weights(priors.begin(), priors.end());
        double total = 0;
        for (double& weight : weights) {
            if (config_.policy_temperature != 1) weight = std::pow(weight, 1 / config_.policy_temperature);
            total += weight;
        }
        const auto edges = tree_.edges_of(node);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const double prior = total > 0 ? weights[i] / total : 1.0 / static_cast<double>(edges.size());
            edges[i].prior = static_cast<float>(prior);
        }
        node.status = NodeStatus::expanded;
    }

    /// Reopens draws by repetition that no longer are any: they repeat a position that is now before the root
    /// and occurred there once. Their visits are taken back from the node and its ancestors.
    void reopen_repetitions() {
        for (Index at = 1; at < tree_.nodes.size(); ++at) {
            TreeNode& node = tree_.nodes[at];
            if (node.status != NodeStatus::terminal || node.forced != 0 || node.state.outcome().over() ||
                is_repetition(node) || below_proven(tree_, at))
                continue;
            const std::uint32_t visits = node.visits;
            tree_.set_total(at, 0);
            for (Index up = at; up != none; up = tree_.nodes[up].parent) tree_.nodes[up].visits -= visits;
            node.status = node.edges != 0 ? NodeStatus::expanded : NodeStatus::unexpanded;
        }
    }

    // ---- Backpropagate ----

    /// Adds a visit with this value, for the side to move at the node, to the node and its ancestors.
    void backpropagate(Index at, double value) {
        Player side = tree_.nodes[at].state.position().side();
        for (; at != none; at = tree_.nodes[at].parent) {
            TreeNode& node = tree_.nodes[at];
            if (node.state.position().side() != side) {
                value = -value;
                side = node.state.position().side();
            }
            if (node.status == NodeStatus::terminal) value = node.terminal_value;  // proved in the meantime
            ++node.visits;
            --node.in_flight;
            node.total += value;
        }
    }

    /// Visits a node whose value is exact.
    void visit_terminal(Index at) {
        const TreeNode& node = tree_.nodes[at];
        if (config_.solver && node.visits == 0 && node.forced != 0) backpropagate_proof(tree_, at);
        backpropagate(at, node.terminal_value);
    }

    /// Takes back a descent that led to no visit.
    void undo_descent(Index at) {
        for (; at != none; at = tree_.nodes[at].parent) --tree_.nodes[at].in_flight;
    }

    // ---- MCTS solver ----

    /// Whether every move of the root that is searched has a proven end.
    bool root_solved() const {
        const auto edges = tree_.edges_of(root_node());
        return !edges.empty() && std::all_of(edges.begin(), edges.end(), [this](const Edge& edge) {
            return !is_searchmove(edge.move) || forced_by(tree_, root_node(), edge) != 0;
        });
    }

    /// Visits each unvisited move of the root that wins at once; returns their number.
    std::uint32_t find_immediate_wins() {
        const State<P> root = root_node().state;
        const std::size_t first = root_node().first_edge, end = first + root_node().edges;
        std::uint32_t wins = 0;
        for (std::size_t i = first; i < end; ++i) {
            if (tree_.edges[i].child != none || !is_searchmove(tree_.edges[i].move)) continue;
            const State<P> next = root.play_unchecked(tree_.edges[i].move);
            if (!next.outcome().over() || next.outcome().winner != root.position().side()) continue;
            const Index child = add_child(next, 0, i);
            ++tree_.nodes[0].in_flight, ++tree_.nodes[child].in_flight, ++wins;
            backpropagate(child, tree_.nodes[child].terminal_value);
            max_depth_ = std::max(max_depth_, 1);
        }
        return wins;
    }

    TreeNode& root_node() { return tree_.nodes[0]; }
    const TreeNode& root_node() const { return tree_.nodes[0]; }

    PuctConfig config_;
    Tree tree_;
    std::vector<Index> pending_;  // the leaves of the last `select`
    std::vector<Move> searchmoves_;
    std::optional<GumbelRoot> gumbel_;  // how moves of the root are selected; PUCT without
    bool immediate_wins_found_ = false;
    int max_depth_ = 0;
};

}  // namespace sparring::search
