// Deep synoptic Monte Carlo planning (Clark 2021) for one player of a game: algorithm 4 without the tracking
// of all possible boards, which the caller does (sparring/belief/tracker.py).
//
// Per turn the caller reports the opponent's capture and draws the belief (`observe_reply`, `draw`), searches
// for a sense (`begin_search`), draws again with what the sense has told, searches for a move, and reports
// its outcome
// (`moved`). While `select` returns synopses, the network is to evaluate them. After `moved` they are those
// of the opponent's turn, which may be evaluated on the opponent's time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "rbc/planner_search.hpp"

namespace sparring::rbc {

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
