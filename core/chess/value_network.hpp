// An efficiently updatable value network (NNUE, Nasu 2018): one hidden layer over pieces and squares, seen by
// both sides, in integers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chess/board.hpp"

namespace sparring::chess {

class ValueNetwork {
 public:
    static constexpr int inputs = 768;  // by owner (the viewer first), piece and square
    static constexpr int width = 128;   // units of the hidden layer for each side's view
    static constexpr int buckets = 8;   // output rows, by the number of pieces on the board
    static constexpr int unit_scale = 255, weight_scale = 64;
    static constexpr int centipawns = 400;  // of an output of 1

    /// Layers in row-major order. Units are integers in 1 / unit_scale, clipped to [0, 1] and squared; the
    /// weights of the output are in 1 / weight_scale and its biases in 1 / (unit_scale * weight_scale).
    struct Layers {
        std::span<const std::int16_t> first, first_bias;  // [inputs][width], [width]
        std::span<const std::int16_t> last;               // [buckets][2 * width], the mover's view first
        std::span<const std::int32_t> last_bias;          // [buckets]
    };
    /// Throws ParseError if the sizes do not match.
    explicit ValueNetwork(const Layers& layers);

    /// The sums of the hidden layer, by the viewing colour.
    struct Accumulator {
        alignas(64) std::array<std::array<std::int16_t, width>, 2> units;
    };
    void compute(const Board& board, Accumulator& out) const;
    /// The sums of a board from those of another one that is a few moves away.
    void update(const Board& from, const Accumulator& known, const Board& to, Accumulator& out) const;

    /// Centipawns for the side to move.
    int evaluate(const Board& board, const Accumulator& sums) const;

 private:
    const std::int16_t* row(Color viewer, Color owner, int type, Square s) const {
        const int place = (owner == viewer ? 0 : 6) + type;
        return &first_[static_cast<std::size_t>((place * 64 + (viewer == white ? s : s ^ 56)) * width)];
    }

    std::vector<std::int16_t> first_, first_bias_, last_;
    std::vector<std::int32_t> last_bias_;
};

}  // namespace sparring::chess
