// Algorithm 3 of the DSMCP paper (ChooseAction): UCT playouts over the infostates of both players.
//
// A playout starts at the one board that a particle of the belief shares with our possible boards. Both
// players' infostates are followed; the player to act chooses by the bandit of algorithm 1. `batch` playouts
// run at the same time. `select` plays them on until each waits for a network evaluation, `evaluate` goes on
// with the results.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rbc/particle_filter.hpp"

namespace sparring::rbc {

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

}  // namespace sparring::rbc
