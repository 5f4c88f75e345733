#include "expendibots/network.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "game/errors.hpp"
#include "search/linear_evaluation.hpp"

namespace sparring::expendibots {

namespace {

/// With weights up to this no sum overflows.
constexpr float largest = 1e4f;

std::vector<float> copied(std::span<const float> from, int rows, int columns, const char* what) {
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

int checked(int width, int widest) {
    if (width < 1 || width > widest) {
        throw ParseError("a layer of the network has 1 to " + std::to_string(widest) + " units, not " +
                         std::to_string(width));
    }
    return width;
}

/// to += factor * row
void add(float* to, const float* row, float factor, int width) {
    for (int i = 0; i < width; ++i) to[i] += factor * row[i];
}

}  // namespace

Network::Network(const Layers& layers)
    : first_(checked(layers.first, widest_first)),
      second_(checked(layers.second, widest_second)),
      stacks_(copied(layers.stacks, places, first_, "weights of stacks")),
      measured_(copied(layers.measured, numbers, first_, "weights of measured numbers")),
      first_bias_(copied(layers.first_bias, 1, first_, "first biases")),
      between_(copied(layers.between, first_, second_, "weights between layers")),
      second_bias_(copied(layers.second_bias, 1, second_, "second biases")),
      last_(copied(layers.last, 1, second_, "last weights")),
      last_bias_(layers.last_bias) {
    if (!(std::abs(last_bias_) <= largest)) throw ParseError("the network's last bias is too large");
}

int Network::place(const Board& board, Square s) {
    const bool own = board.colors[board.turn] & bit(s);
    const Square seen = board.turn == white ? s : s ^ 56;
    return ((own ? 0 : max_tokens) + board.height(s) - 1) * 64 + seen;
}

float Network::value(const Board& board) const {
    // With widths known to the compiler the search with the shipped network is a fifth faster.
    if (first_ == 32 && second_ == 16) return forward<32, 16>(board);
    return forward<0, 0>(board);
}

template <int first_width, int second_width>
float Network::forward(const Board& board) const {
    const int first_size = first_width ? first_width : first_,
              second_size = second_width ? second_width : second_;
    alignas(16) std::array<float, first_width ? first_width : widest_first> first;
    alignas(16) std::array<float, second_width ? second_width : widest_second> second;
    std::copy_n(first_bias_.begin(), first_size, first.begin());
    for (Bitboard stacks = board.occupied(); stacks;) {
        const auto row =
            static_cast<std::size_t>(place(board, pop_lsb(stacks))) * static_cast<std::size_t>(first_size);
        add(first.data(), &stacks_[row], 1.0f, first_size);
    }
    const Measured inputs = measure(board);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] != 0.0f)
            add(first.data(), &measured_[i * static_cast<std::size_t>(first_size)], inputs[i], first_size);
    }
    std::copy_n(second_bias_.begin(), second_size, second.begin());
    for (int i = 0; i < first_size; ++i) {
        if (first[i] > 0.0f)
            add(second.data(), &between_[static_cast<std::size_t>(i * second_size)], first[i], second_size);
    }
    float result = last_bias_;
    for (int i = 0; i < second_size; ++i) result += std::max(second[i], 0.0f) * last_[i];
    return std::tanh(result);
}

int Network::score(const Board& board) const {
    constexpr int most = static_cast<int>(search::win_value) * search::score_unit - 1;
    return static_cast<int>(std::lround(value(board) * static_cast<float>(most)));
}

}  // namespace sparring::expendibots
