// What a search knows of Expendibots: which actions are worth a thought and in which order, and a position's
// score.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "expendibots/endgames.hpp"
#include "expendibots/features.hpp"
#include "expendibots/network.hpp"
#include "expendibots/position.hpp"
#include "search/judge.hpp"

namespace sparring::expendibots {

class Judge {
 public:
    using Scene = expendibots::Scene;
    using Features = expendibots::Features;
    using Stage = expendibots::Stage;
    static constexpr int visits_to_draw = 4;
    static constexpr int history_slots = 1 << 14;  // all of the actions

    explicit Judge(std::span<const double> weights)
        : weights_(std::make_shared<const Features::Weights>(weights)) {}

    /// The booms are those of the line. One that began in the middle of a game is taken to have had a boom
    /// for every four tokens that are missing.
    static Scene scene(const Node<Position>& node);

    /// With a stage, searches end where the next one begins (the report's staged rewards): ahead in tokens is
    /// a win, and each token more counts.
    void end_with(std::optional<Stage> stage) { stage_ = stage; }

    /// The weights of another judge.
    void set_weights(const Judge& other) { weights_ = other.weights_; }

    /// Positions that the tables have count as decided, unless the 500th action would come before the end.
    void consult(std::shared_ptr<const Endgames> endgames) { endgames_ = std::move(endgames); }

    /// Evaluates with a network instead of the weights.
    void use(std::shared_ptr<const Network> network) { network_ = std::move(network); }

    std::optional<int> decided(const Scene& scene) const;
    int evaluate(const Scene& scene) const;
    /// Booms that better the ratio of tokens, one for each component, and all MOVEs; a boom that does not
    /// where there is nothing else.
    void moves(const Scene& scene, search::OrderedMoves& moves) const;
    void loud(const Scene& scene, search::OrderedMoves& moves) const;
    static bool reversible(Move move) { return !is_boom(move); }

    /// Stages are evaluated differently, and near the 500th action the number of actions matters.
    std::uint64_t table_key(const Scene& scene) const;

 private:
    std::shared_ptr<const Features::Weights> weights_;
    std::shared_ptr<const Endgames> endgames_;
    std::shared_ptr<const Network> network_;
    std::optional<Stage> stage_;
};

}  // namespace sparring::expendibots
