// Evaluations that are linear in a game's features: what learns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "search/evaluator.hpp"

namespace sparring::search {

/// A value of 1 (a hundredth of a win) as a search's score.
constexpr int score_unit = 1'000;
constexpr double win_value = 100.0;

/// Formula for H in section 2 of the Expendibots report: the linear value, bent near the ends so that it
/// stays between a loss and a win. The report has the losing end's sign the wrong way round.
inline double squashed(double linear) {
    return std::abs(linear) < 99.0 ? linear : win_value * std::tanh(linear / 35.0);
}

/// As a score: strictly between a loss and a win.
inline int score_of(double linear) {
    constexpr int most = static_cast<int>(win_value) * score_unit - 1;
    return std::clamp(static_cast<int>(std::lround(squashed(linear) * score_unit)), -most, most);
}

/// A score as a value: wins are 100 however far off.
inline double value_of(int score) {
    if (std::abs(score) > decided_score) return score > 0 ? win_value : -win_value;
    return static_cast<double>(score) / score_unit;
}

/// What knows a game for learning. `Weights` is made from plain weights [stages][size] and gives the linear
/// value of a scene, however it likes; `extract_features` writes the features that this value is linear in.
template <class F>
concept FeatureExtractor = requires(const typename F::SearchState search_state, std::span<double> features,
                                    std::span<const double> weights, const typename F::Weights made) {
    { F::stages } -> std::convertible_to<int>;
    { F::size } -> std::convertible_to<int>;
    { F::stage(search_state) } -> std::same_as<int>;
    { F::extract_features(search_state, features) } -> std::same_as<void>;
    { F::names() } -> std::same_as<std::vector<std::string>>;
    { F::stage_names() } -> std::same_as<std::vector<std::string>>;
    { typename F::Weights(weights) };
    { made.value(search_state) } -> std::same_as<double>;
};

}  // namespace sparring::search
