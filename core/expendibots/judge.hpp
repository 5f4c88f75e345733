// What a search knows of Expendibots: which actions are worth a thought and in which order, and a position's
// score.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "expendibots/features.hpp"
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
    std::optional<Stage> stage_;
};

}  // namespace sparring::expendibots
