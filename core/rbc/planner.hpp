// Deep synoptic Monte Carlo planning (Clark 2021) for one player of a game: algorithm 3 (ChooseAction) and
// algorithm 4 without the tracking of all possible boards, which the caller does (sparring/rbc/tracker.py).
//
// Per turn the caller reports the opponent's capture and draws the belief (`observe_reply`, `draw`), searches
// for a sense (`begin_search`), draws again with what the sense has shown, searches for a move, and reports
// its outcome (`moved`). While `select` returns synopses, the network is to evaluate them. After `moved` they
// are those of the opponent's turn, which may be evaluated on the opponent's time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rbc/particle_filter.hpp"

namespace sparring::rbc {

/// Algorithm 3: UCT playouts over the infostates of both players.
///
/// A playout starts at the one board that a particle of the belief shares with our possible boards. Both
/// players' infostates are followed; the player to act chooses by the bandit of algorithm 1. `batch` playouts
/// run at the same time. `select` plays them on until each waits for a network evaluation, `evaluate` goes on
/// with the results.
class PlannerSearch {
 public:
    /// `self` has the known side and the context of the player to act, and no boards. `possible` are its
    /// boards; the particles must not be empty. All three must outlive the search.
    PlannerSearch(const PlannerConfig& config, NodeTable& table, const std::vector<Particle>& particles,
                  const BoardSet& possible, const Infostate& self, std::uint64_t seed);

    void select(EvaluationBatch& batch);
    void evaluate(const EvaluationBatch& batch, const Evaluations& evaluations);

    /// The actions of the root with the statistics of finished playouts; no priors before the first
    /// evaluation.
    std::vector<Edge> root() const;
    /// Replaces the priors of the root, in the order of its actions.
    void set_priors(std::span<const float> priors) {
        for (std::size_t i = 0; i < root_.size() && i < priors.size(); ++i) root_[i].prior = priors[i];
    }
    /// The mean of the network's values at the root.
    float value() const { return value_; }
    std::uint64_t playouts() const { return playouts_; }
    /// Actions played in playouts so far: the paper's nodes.
    std::uint64_t nodes() const { return nodes_; }
    /// Playouts that ended with a captured king or a certain win.
    std::uint64_t decided() const { return decided_; }
    bool root_evaluated() const { return root_evaluated_; }
    /// What the player will remember of this turn in its next one.
    const RememberedPlanes& remembered() const { return remembered_; }

 private:
    struct Step {
        std::uint64_t key;  // of the node; the first step is the root
        Move action;
        chess::Color player;
    };
    struct Playout {
        Infostate self, opponent;
        Board board;
        std::vector<Step> path;
        Random random{0};
        std::size_t opponent_states = 0;
        std::uint32_t depth = 0;  // actions after which it ends
        bool running = false;     // it has an action to play; else it waits or is to be started
        bool waiting = false;
        bool is_leaf = false;
        std::uint64_t key = 0;
        TreeNode* node = nullptr;  // of the infostate to act, if the table has it
        Synopsis synopsis;
        float native_value = 0;            // of the board, for the player to act
        std::optional<float> final_value;  // for the player to act
    };

    Infostate root_sample(const Particle& particle, Random& random) const;
    void start(Playout& playout);
    void advance(Playout& playout);
    void settle(Playout& playout);
    void choose(Playout& playout, TreeNode& node);
    void back_up(Playout& playout, float value);
    Infostate& to_act(Playout& playout) const;
    float native_value(const Board& board) const;

    const PlannerConfig config_;
    NodeTable& table_;
    const std::vector<Particle>& particles_;
    const BoardSet& possible_;
    const Infostate& self_;
    const chess::Color player_;
    Random random_;
    std::vector<Edge> root_;
    std::vector<Infostate> root_samples_;
    std::vector<Playout> slots_;
    std::vector<std::pair<std::size_t, std::size_t>> waiting_;  // slots and their rows of the batch
    bool root_evaluated_ = false;
    RememberedPlanes remembered_{};
    float value_ = 0;
    std::uint64_t playouts_ = 0, nodes_ = 0, decided_ = 0;
};

/// Algorithm 4: the belief and the searches of a game.
class Planner {
 public:
    /// `board` is the start of the game, or a guess after lost observations.
    Planner(const PlannerConfig& config, chess::Color player, const Board& board, std::uint64_t seed);

    /// A copy without the search.
    Planner(const Planner& other)
        : config_(other.config_),
          random_(other.random_),
          table_(other.table_),
          filter_(other.filter_),
          context_(other.context_),
          previous_(other.previous_),
          drawn_(other.drawn_) {}

    /// Our move has this outcome.
    void moved(const MoveOutcome& outcome);
    /// The opponent has moved and captured there.
    void observe_reply(std::optional<Square> captured) { context_.last_opposing_capture = captured; }
    /// Draws particles that agree with our possible boards. Ends a search.
    void draw(const BoardSet& possible, bool exact);
    /// Begins a search for a sense, or for a move. Throws std::logic_error before `draw`.
    void begin_search(const BoardSet& possible, bool moving);
    void end_search() { search_.reset(); }

    /// The synopses to evaluate next: of the search, else of the opponent's turn. The batch is empty if there
    /// is nothing to evaluate.
    const EvaluationBatch& select();
    /// The network's results for the last batch. Throws std::invalid_argument if the sizes differ.
    void evaluate(const Evaluations& evaluations);

    const PlannerConfig& config() const { return config_; }
    const ParticleFilter& filter() const { return filter_; }
    const PlannerSearch* search() const { return search_ ? &search_->search : nullptr; }
    PlannerSearch* search() { return search_ ? &search_->search : nullptr; }
    std::size_t tree_size() const { return table_.used(); }

 private:
    /// A search with copies of what it refers to.
    struct Running {
        BoardSet possible;
        Infostate self;
        PlannerSearch search;
        Running(const PlannerConfig& config, NodeTable& table, const ParticleFilter& filter,
                const BoardSet& boards, Infostate state, std::uint64_t seed)
            : possible(boards),
              self(std::move(state)),
              search(config, table, filter.particles(), possible, self, seed) {}
    };

    void remember_turn();

    const PlannerConfig config_;
    Random random_;
    NodeTable table_;
    ParticleFilter filter_;
    SynopsisContext context_;
    std::optional<RememberedPlanes> previous_;
    std::optional<Infostate> drawn_;  // at most l of the boards of the last draw in this turn
    std::unique_ptr<Running> search_;
    EvaluationBatch batch_;
};

}  // namespace sparring::rbc
