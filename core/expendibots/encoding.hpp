// The encoder and the symmetries of Expendibots: the eight of the square.
#pragma once

#include <array>

#include "expendibots/position.hpp"
#include "expendibots/symmetry.hpp"
#include "game/encoder.hpp"
#include "game/symmetry.hpp"

namespace sparring {

template <>
struct Encoders<expendibots::Position> {
    static constexpr std::array list = {plane_encoder<expendibots::Position>};
};

template <>
struct Symmetry<expendibots::Position> {
    static constexpr int count = expendibots::symmetries;
    static bool holds(const expendibots::Position&) { return true; }
    /// Black's planes have the rows in reverse order.
    static int cell(const expendibots::Position& p, int symmetry, int cell) {
        const int flip = p.side() == 0 ? 0 : 56;
        return expendibots::transformed(cell ^ flip, symmetry) ^ flip;
    }
    static Move move(const expendibots::Position&, int symmetry, Move m) {
        return expendibots::transformed_action(m, symmetry);
    }
};

}  // namespace sparring
