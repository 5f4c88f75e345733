// What KataGo's networks of versions 8 to 17 see of a Go position: its "version 7" inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "game/state.hpp"
#include "go/ladder.hpp"
#include "go/position.hpp"

namespace sparring::go::katago {

constexpr std::size_t spatial_planes = 22;
constexpr std::size_t global_inputs = 19;

/// Writes positions as KataGo's fillRowV7 does. Remembers ladders: those of a position's past were most often
/// read when it was the present.
class InputEncoder {
 public:
    /// `spatial` is [22, side, side], rows from the top, the board in the first corner and zeros beyond it;
    /// `global` is [19]. The side is at least the board's.
    void encode(const Node<Position>& line, int side, float* spatial, float* global);

 private:
    struct CachedLadders {
        std::uint64_t key = 0;  // no position's
        Ladders ladders;
    };

    const Ladders& ladders(const Position& position);

    LadderReader reader_;
    std::array<CachedLadders, 1024> ladder_cache_;
};

/// The planes alone as bytes, [22, size, size], rows from the bottom as the core numbers points; `history` is
/// KataGo's own. Each thread remembers its ladders.
void encode_spatial(const Node<Position>& line, int history, std::uint8_t* spatial);
/// What is not on the board alone, [19].
void encode_global(const Node<Position>& line, int history, float* global);

}  // namespace sparring::go::katago
