// A value network with two hidden layers. Inputs are the stacks, one-hot, and the measurements of
// features.hpp.
//
// The first layer is computed anew for each board, not incrementally: there are at most 24 stacks, usually a
// dozen, and a BOOM changes many at once.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "expendibots/board.hpp"
#include "expendibots/features.hpp"

namespace sparring::expendibots {

class Network {
 public:
    static constexpr int places = 2 * max_tokens * 64;  // by owner (the mover first), height and square
    static constexpr int numbers = static_cast<int>(std::tuple_size_v<Measured>);
    static constexpr int widest_first = 1024, widest_second = 128;

    /// Layers in row-major order: [places][first], [numbers][first], [first]; [first][second], [second];
    /// [second].
    struct Layers {
        int first;
        int second;
        std::span<const float> stacks, measured, first_bias;
        std::span<const float> between, second_bias;
        std::span<const float> last;
        float last_bias;
    };
    /// Throws ParseError if the sizes do not match or exceed the limits.
    explicit Network(const Layers& layers);

    /// The input index of a stack; rows are reversed for Black.
    static int place(const Board& board, Square s);

    /// For the side to move, from -1 to 1.
    float value(const Board& board) const;
    /// The value as a score, strictly between a loss and a win.
    int score(const Board& board) const;

 private:
    /// The value; widths of 0 are those of the layers.
    template <int first_width, int second_width>
    float forward(const Board& board) const;

    int first_, second_;
    std::vector<float> stacks_, measured_, first_bias_, between_, second_bias_, last_;
    float last_bias_;
};

}  // namespace sparring::expendibots
