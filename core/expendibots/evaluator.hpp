// What a search knows of Expendibots: which actions are worth a thought and in which order, and a position's
// score.
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
    static constexpr int history_slots = 1 << 14;  // all of the actions

    explicit Evaluator(std::span<const double> weights)
        : weights_(std::make_shared<const Features::Weights>(weights)) {}

    /// The booms are those of the line. One that began in the middle of a game is taken to have had a boom
    /// for every four tokens that are missing.
    static SearchState search_state(const Node<Position>& node);

    /// With a stage, searches end where the next one begins (the report's staged rewards): ahead in tokens is
    /// a win, and each token more counts.
    void set_terminal_stage(std::optional<Stage> stage) { stage_ = stage; }

    /// The weights of another judge.
    void set_weights(const Evaluator& other) { weights_ = other.weights_; }

    /// Positions that the tables have count as decided, unless the 500th action would come before the end.
    void set_endgame_tables(std::shared_ptr<const EndgameTables> endgames) {
        endgames_ = std::move(endgames);
    }

    /// Evaluates with a network instead of the weights.
    void set_network(std::shared_ptr<const Network> network) { network_ = std::move(network); }

    std::optional<int> decided(const SearchState& search_state) const;
    int evaluate(const SearchState& search_state) const;
    /// Booms that better the ratio of tokens, one for each component, and all MOVEs; a boom that does not
    /// where there is nothing else.
    void moves(const SearchState& search_state, search::OrderedMoves& moves) const;
    void noisy_moves(const SearchState& search_state, search::OrderedMoves& moves) const;
    static bool reversible(Move move) { return !is_boom(move); }

    /// Stages are evaluated differently, and near the 500th action the number of actions matters.
    std::uint64_t table_key(const SearchState& search_state) const;

 private:
    std::shared_ptr<const Features::Weights> weights_;
    std::shared_ptr<const EndgameTables> endgames_;
    std::shared_ptr<const Network> network_;
    std::optional<Stage> stage_;
};

}  // namespace sparring::expendibots
