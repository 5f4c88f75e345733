// A small neural network that evaluates boards: the report's features and every stack by itself, two hidden
// layers.
//
// Its inputs are worked out afresh for each board rather than kept from move to move: there are at most 24
// stacks, mostly a dozen, and a boom changes many of them at once.
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

    /// The layers row by row: [places][first], [numbers][first], [first]; [first][second], [second];
    /// [second].
    struct Layers {
        int first;
        int second;
        std::span<const float> stacks, measured, first_bias;
        std::span<const float> between, second_bias;
        std::span<const float> last;
        float last_bias;
    };
    /// Throws ParseError when the sizes do not fit each other or the limits.
    explicit Network(const Layers& layers);

    /// The input of a stack: Black sees the board upside down.
    static int place(const Board& board, Square s);

    /// For the side to move, from -1 to 1.
    float value(const Board& board) const;
    /// As a search's score, strictly between a loss and a win.
    int score(const Board& board) const;

 private:
    int first_, second_;
    std::vector<float> stacks_, measured_, first_bias_, between_, second_bias_, last_;
    float last_bias_;
};

}  // namespace sparring::expendibots
