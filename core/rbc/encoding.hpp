// The encoder and the symmetries of reconnaissance blind chess. As in chess, the mirror image is the same
// game once neither side may castle.
#pragma once

#include <array>

#include "game/encoder.hpp"
#include "game/symmetry.hpp"
#include "rbc/position.hpp"

namespace sparring {

template <>
struct Encoders<rbc::Position> {
    static constexpr std::array list = {plane_encoder<rbc::Position>};
};

template <>
struct Symmetry<rbc::Position> {
    static constexpr int count = 2;
    static bool holds(const rbc::Position& p) { return p.board().castling == 0; }
    static int cell(const rbc::Position&, int, int cell) { return cell ^ 7; }
    static Move move(const rbc::Position&, int, Move m) {
        if (m == rbc::pass || m == rbc::no_sense) return m;
        if (m >= rbc::sense_base) return rbc::make_sense((m - rbc::sense_base) ^ 7);
        return chess::mirrored_move(m);
    }
};

}  // namespace sparring
