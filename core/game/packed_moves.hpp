// Packed moves: the moves of a game as bytes. Each move is its index among the legal moves in ascending
// order, in one or two bytes, little-endian.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "game/errors.hpp"
#include "game/move.hpp"

namespace sparring {

/// The number of moves of `width` bytes (1 or 2). Throws ParseError if the last move is incomplete.
inline std::size_t packed_size(std::string_view packed, int width) {
    if (packed.size() % static_cast<std::size_t>(width) != 0) throw ParseError("packed moves are cut off");
    return packed.size() / static_cast<std::size_t>(width);
}

/// Move number `ply`, counted from 0. `legal` has the legal moves in ascending order. Throws IllegalMove.
inline Move packed_move(std::string_view packed, std::size_t ply, int width, const MoveList& legal) {
    const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(packed[i])}; };
    const std::size_t index = width == 1 ? byte(ply) : byte(2 * ply) | byte(2 * ply + 1) << 8;
    if (index >= legal.size())
        throw IllegalMove("packed move " + std::to_string(ply + 1) + " is none of the legal ones");
    return legal[index];
}

/// Writes the index of move number `ply`. Throws IllegalMove if it does not fit.
inline void write_packed(char* packed, std::size_t ply, int width, std::size_t index) {
    if (index >> (8 * width)) throw IllegalMove("the index of a move does not fit its bytes");
    packed[ply * static_cast<std::size_t>(width)] = static_cast<char>(index & 0xFF);
    if (width == 2) packed[2 * ply + 1] = static_cast<char>(index >> 8);
}

}  // namespace sparring
