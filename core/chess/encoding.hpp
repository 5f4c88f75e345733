// The encoders and the symmetries of chess. The mirror image, left and right exchanged, is the same game once
// neither side may castle.
#pragma once

#include <array>

#include "chess/lc0.hpp"
#include "chess/maia3.hpp"
#include "chess/position.hpp"
#include "game/encoder.hpp"
#include "game/symmetry.hpp"

namespace sparring {

template <>
struct Encoders<chess::Position> {
    using E = Encoder<chess::Position>;
    static constexpr std::array list = {
        plane_encoder<chess::Position>,
        E{
            .name = "lc0",
            .shape = [](const chess::Position&, int) { return E::Shape{chess::lc0::planes, 8, 8}; },
            .write_floats = nullptr,
            .write_bytes = [](const Node<chess::Position>& node, int,
                              std::uint8_t* out) { chess::lc0::encode(node, out); },
            .label =
                [](const chess::Position& position, Move move) {
                    return static_cast<std::uint16_t>(chess::lc0::policy_index(position.board(), move));
                },
            .counts =
                [](int) { return std::pair<std::size_t, std::size_t>{109, 110}; },  // the halfmove clock
            .variable_history = false,
            .symmetry_action = SymmetryAction::cells,
        },
        E{
            .name = "maia3",
            .shape = [](const chess::Position&,
                        int) { return E::Shape{chess::maia3::squares, chess::maia3::token_size}; },
            .write_floats = nullptr,
            .write_bytes = [](const Node<chess::Position>& node, int,
                              std::uint8_t* out) { chess::maia3::encode(node, out); },
            .label =
                [](const chess::Position& position, Move move) {
                    return static_cast<std::uint16_t>(chess::maia3::label(position.board(), move));
                },
            .counts = no_counts,
            .variable_history = false,
            .symmetry_action = SymmetryAction::unsupported,
        },
    };
};

template <>
struct Symmetry<chess::Position> {
    static constexpr int count = 2;
    static bool holds(const chess::Position& p) { return p.board().castling == 0; }
    static int cell(const chess::Position&, int, int cell) { return cell ^ 7; }
    static Move move(const chess::Position&, int, Move m) { return chess::mirrored_move(m); }
};

}  // namespace sparring
