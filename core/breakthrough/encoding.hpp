// The encoders and the symmetries of Breakthrough: left and right may be exchanged.
#pragma once

#include <array>

#include "breakthrough/position.hpp"
#include "game/encoder.hpp"
#include "game/symmetry.hpp"

namespace sparring {

namespace breakthrough::boards {

constexpr std::size_t planes_per_board = 2;
/// The policy's entries: a plane of 64 source squares for each direction.
constexpr std::size_t labels = move_codes;

/// The pieces of the side to move and of the other side on the newest positions, newest first, as bytes
/// [2 * history, 8, 8]. All are seen by the side that moves now: a piece that stays keeps its cell. Rows run
/// from that side's first row.
inline void encode(const Node<Position>& node, int history, std::uint8_t* out) {
    const int us = node.position.side(), flip = us == white ? 0 : 56;
    const Node<Position>* shown = &node;
    for (int back = 0; back < history && shown; ++back, shown = shown->previous.get()) {
        for (const int color : {us, 1 - us}) {
            for (Bitboard left = shown->position.pieces(color); left; left &= left - 1) {
                out[std::countr_zero(left) ^ flip] = 1;
            }
            out += 64;
        }
    }
}

/// 64 * the direction + the source square as the side to move sees it.
inline std::uint16_t label(const Position& position, Move move) {
    const int flip = position.side() == white ? 0 : 56;
    return static_cast<std::uint16_t>(64 * (move % 3) + (move / 3 ^ flip));
}

}  // namespace breakthrough::boards

template <>
struct Encoders<breakthrough::Position> {
    using E = Encoder<breakthrough::Position>;
    static constexpr std::array list = {
        plane_encoder<breakthrough::Position>,
        E{
            .name = "boards",
            .shape =
                [](const breakthrough::Position&, int history) {
                    return E::Shape{
                        breakthrough::boards::planes_per_board * static_cast<std::size_t>(history), 8, 8};
                },
            .write_floats = nullptr,
            .write_bytes = breakthrough::boards::encode,
            .label = breakthrough::boards::label,
            .counts = no_counts,
            .variable_history = true,
            .symmetry_action = SymmetryAction::cells,
        },
    };
};

template <>
struct Symmetry<breakthrough::Position> {
    static constexpr int count = 2;
    static bool holds(const breakthrough::Position&) { return true; }
    static int cell(const breakthrough::Position&, int, int cell) { return cell ^ 7; }
    static Move move(const breakthrough::Position&, int, Move m) {
        return static_cast<Move>(3 * ((m / 3) ^ 7) + 2 - m % 3);
    }
};

}  // namespace sparring
