// Evaluation and move ordering of Expendibots for alpha-beta.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "expendibots/endgame_tables.hpp"
#include "expendibots/features.hpp"
#include "expendibots/network.hpp"
#include "expendibots/position.hpp"
#include "search/evaluator.hpp"

namespace sparring::expendibots {

class Evaluator {
 public:
    using SearchState = expendibots::SearchState;
    using Features = expendibots::Features;
    using Stage = expendibots::Stage;
    static constexpr int repetitions_to_draw = 4;
    static constexpr int history_slots = 1 << 14;  // covers all action codes

    explicit Evaluator(std::span<const double> weights)
        : weights_(std::make_shared<const Features::Weights>(weights)) {}

    /// Counts the BOOMs of the line. A line that starts in the middle of a game gets one BOOM for every four
    /// missing tokens.
    static SearchState search_state(const Node<Position>& node);

    /// If set, lines end at the next stage (staged rewards, section 4.2 of the report): more tokens are a
    /// win, plus a bonus for each token.
    void set_terminal_stage(std::optional<Stage> stage) { stage_ = stage; }

    /// Copies the weights of another evaluator.
    void set_weights(const Evaluator& other) { weights_ = other.weights_; }

    /// Positions in the tables count as decided, unless the limit of 500 actions comes first.
    void set_endgame_tables(std::shared_ptr<const EndgameTables> endgames) {
        endgames_ = std::move(endgames);
    }

    /// Evaluates with a network instead of the weights.
    void set_network(std::shared_ptr<const Network> network) { network_ = std::move(network); }

    /// If set, only BOOMs that improve the ratio of tokens are searched.
    void set_prune_booms(bool prune) { prune_booms_ = prune; }

    std::optional<int> decided(const SearchState& search_state) const;
    int evaluate(const SearchState& search_state) const;
    /// All MOVEs, and one BOOM for each component with tokens of both sides. If there are none, any BOOM.
    void moves(const SearchState& search_state, search::OrderedMoves& moves) const;
    /// BOOMs after which the ratio of tokens is at least as good.
    void noisy_moves(const SearchState& search_state, search::OrderedMoves& moves) const;
    static bool reversible(Move move) { return !is_boom(move); }

    /// Includes the stage, and the number of actions close to the limit of 500.
    std::uint64_t table_key(const SearchState& search_state) const;

 private:
    std::shared_ptr<const Features::Weights> weights_;
    std::shared_ptr<const EndgameTables> endgames_;
    std::shared_ptr<const Network> network_;
    std::optional<Stage> stage_;
    bool prune_booms_ = false;

    void add_booms(const Board& board, search::OrderedMoves& moves, bool losing) const;
};

}  // namespace sparring::expendibots
