// Inputs of KataGo networks of model versions 8 to 17 ("inputs version 7").
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

/// Encodes positions as KataGo's fillRowV7 does. Ladders are cached: the ladders of earlier positions of a
/// line were usually read before.
class InputEncoder {
 public:
    /// `spatial` is [22, side, side], rows from the top; smaller boards occupy the first rows and columns,
    /// the rest is zeros. `global` is [19]. `side` is at least the board size.
    void encode(const Node<Position>& line, int side, float* spatial, float* global);

 private:
    struct CachedLadders {
        std::uint64_t key = 0;  // not the key of a position
        Ladders ladders;
    };

    const Ladders& ladders(const Position& position);

    LadderReader reader_;
    std::array<CachedLadders, 1024> ladder_cache_;
};

/// The planes as bytes, [22, size, size], rows from the bottom: cells are points. `history` is ignored. Each
/// thread has a ladder cache.
void encode_spatial(const Node<Position>& line, int history, std::uint8_t* spatial);
/// The global inputs, [19]. `history` is ignored.
void encode_global(const Node<Position>& line, int history, float* global);

}  // namespace sparring::go::katago
