// Evaluations that are linear in features of a position, in the units of the Expendibots report: 100 is a
// win.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "search/evaluator.hpp"

namespace sparring::search {

/// Score units per unit of value.
constexpr int score_unit = 1'000;
constexpr double win_value = 100.0;

/// H of section 2 of the Expendibots report: the linear value, squashed near the ends so that it stays
/// strictly between a loss and a win. (The report's formula has the wrong sign for losses.)
inline double squashed(double linear) {
    return std::abs(linear) < 99.0 ? linear : win_value * std::tanh(linear / 35.0);
}

/// The score of a linear value, strictly between a loss and a win.
inline int score_of(double linear) {
    constexpr int most = static_cast<int>(win_value) * score_unit - 1;
    return std::clamp(static_cast<int>(std::lround(squashed(linear) * score_unit)), -most, most);
}

/// The value of a score; a decided game is 100 or -100 at any distance.
inline double value_of(int score) {
    if (std::abs(score) > decided_score) return score > 0 ? win_value : -win_value;
    return static_cast<double>(score) / score_unit;
}

/// The features of a game. `extract_features` writes phi(state), [size]. `Weights` is constructed from theta,
/// [stages][size], and computes theta[stage] . phi(state).
template <class F>
concept FeatureExtractor = requires(const typename F::SearchState state, std::span<double> features,
                                    std::span<const double> weights, const typename F::Weights made) {
    { F::stages } -> std::convertible_to<int>;
    { F::size } -> std::convertible_to<int>;
    { F::stage(state) } -> std::same_as<int>;
    { F::extract_features(state, features) } -> std::same_as<void>;
    { F::names() } -> std::same_as<std::vector<std::string>>;
    { F::stage_names() } -> std::same_as<std::vector<std::string>>;
    { typename F::Weights(weights) };
    { made.value(state) } -> std::same_as<double>;
};

}  // namespace sparring::search
