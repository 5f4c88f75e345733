// A small value network for searches on a CPU: two hidden layers over sparse inputs.
//
// The inputs of a position are one-hot `places` (what stands on which square, by its owner) and measured
// `numbers`. A game defines them as a class Inputs:
//
//   using Subject                            what is evaluated: a position or its board
//   Inputs::places, Inputs::numbers          how many inputs of each kind there are
//   Inputs::most_places                      the largest number of places that are 1
//   Inputs::for_each_place(subject, f)       calls f with the index of each place that is 1
//   Inputs::measure(subject)                 the numbers, std::array<float, numbers>
//
// The first layer is computed anew for each position, not incrementally: few places are 1, and a move may
// change many.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "game/errors.hpp"
#include "search/linear_evaluation.hpp"

namespace sparring::search {

template <class Inputs>
class ValueNetwork {
 public:
    using Subject = typename Inputs::Subject;
    static constexpr int places = Inputs::places, numbers = Inputs::numbers;
    static constexpr int widest_first = 1024, widest_second = 128;

    /// Layers in row-major order: [places][first], [numbers][first], [first]; [first][second], [second];
    /// [second].
    struct Layers {
        int first;
        int second;
        std::span<const float> places, measured, first_bias;
        std::span<const float> between, second_bias;
        std::span<const float> last;
        float last_bias;
    };

    /// Throws ParseError if the sizes do not match or exceed the limits.
    explicit ValueNetwork(const Layers& layers)
        : first_(checked(layers.first, widest_first)),
          second_(checked(layers.second, widest_second)),
          places_(copied(layers.places, places, first_, "weights of places")),
          measured_(copied(layers.measured, numbers, first_, "weights of measured numbers")),
          first_bias_(copied(layers.first_bias, 1, first_, "first biases")),
          between_(copied(layers.between, first_, second_, "weights between layers")),
          second_bias_(copied(layers.second_bias, 1, second_, "second biases")),
          last_(copied(layers.last, 1, second_, "last weights")),
          last_bias_(layers.last_bias) {
        if (!(std::abs(last_bias_) <= largest)) throw ParseError("the network's last bias is too large");
    }

    /// For the side to move, from -1 to 1.
    float value(const Subject& subject) const {
        // With widths known to the compiler a search is a fifth faster.
        if (first_ == 32 && second_ == 16) return forward<32, 16>(subject);
        if (first_ == 64 && second_ == 16) return forward<64, 16>(subject);
        return forward<0, 0>(subject);
    }

    /// The value as a score, strictly between a loss and a win.
    int score(const Subject& subject) const {
        constexpr int most = static_cast<int>(win_value) * score_unit - 1;
        return static_cast<int>(std::lround(value(subject) * static_cast<float>(most)));
    }

 private:
    /// With weights up to this no sum overflows.
    static constexpr float largest = 1e4f;

    static int checked(int width, int widest) {
        if (width < 1 || width > widest) {
            throw ParseError("a layer of the network has 1 to " + std::to_string(widest) + " units, not " +
                             std::to_string(width));
        }
        return width;
    }

    static std::vector<float> copied(std::span<const float> from, int rows, int columns, const char* what) {
        const auto wanted = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        if (from.size() != wanted) {
            throw ParseError(std::string("the network's ") + what + " are " + std::to_string(wanted) +
                             " numbers, not " + std::to_string(from.size()));
        }
        for (const float weight : from) {
            if (!(std::abs(weight) <= largest))
                throw ParseError(std::string("the network's ") + what + " are too large");
        }
        return {from.begin(), from.end()};
    }

    /// to += factor * row
    static void add(float* to, const float* row, float factor, int width) {
        for (int i = 0; i < width; ++i) to[i] += factor * row[i];
    }

    /// The value; widths of 0 are those of the layers.
    template <int first_width, int second_width>
    float forward(const Subject& subject) const {
        const int first_size = first_width ? first_width : first_,
                  second_size = second_width ? second_width : second_;
        alignas(16) std::array<float, first_width ? first_width : widest_first> first;
        alignas(16) std::array<float, second_width ? second_width : widest_second> second;
        std::copy_n(first_bias_.begin(), first_size, first.begin());
        Inputs::for_each_place(subject, [&](int place) {
            add(first.data(), &places_[static_cast<std::size_t>(place * first_size)], 1.0f, first_size);
        });
        if constexpr (numbers > 0) {
            const auto inputs = Inputs::measure(subject);
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (inputs[i] == 0.0f) continue;
                add(first.data(), &measured_[i * static_cast<std::size_t>(first_size)], inputs[i],
                    first_size);
            }
        }
        std::copy_n(second_bias_.begin(), second_size, second.begin());
        for (int i = 0; i < first_size; ++i) {
            if (first[i] > 0.0f)
                add(second.data(), &between_[static_cast<std::size_t>(i * second_size)], first[i],
                    second_size);
        }
        float result = last_bias_;
        for (int i = 0; i < second_size; ++i) result += std::max(second[i], 0.0f) * last_[i];
        return std::tanh(result);
    }

    int first_, second_;
    std::vector<float> places_, measured_, first_bias_, between_, second_bias_, last_;
    float last_bias_;
};

}  // namespace sparring::search
