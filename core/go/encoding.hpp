// The encoders and the symmetries of Go: the eight of the square.
#pragma once

#include <array>

#include "game/encoder.hpp"
#include "game/symmetry.hpp"
#include "go/katago_features.hpp"
#include "go/position.hpp"

namespace sparring {

template <>
struct Encoders<go::Position> {
    using E = Encoder<go::Position>;
    static constexpr std::array list = {
        plane_encoder<go::Position>,
        E{
            .name = "katago",
            .shape =
                [](const go::Position& position, int) {
                    const auto size = static_cast<std::size_t>(position.size());
                    return E::Shape{go::katago::spatial_planes, size, size};
                },
            .write_floats = nullptr,
            .write_bytes = go::katago::encode_spatial,
            .label = move_code_label<go::Position>,
            .counts = no_counts,
            .variable_history = false,
            .symmetry_action = SymmetryAction::cells,
        },
        E{
            .name = "katago-global",
            .shape = [](const go::Position&, int) { return E::Shape{go::katago::global_inputs}; },
            .write_floats = go::katago::encode_global,
            .write_bytes = nullptr,
            .label = move_code_label<go::Position>,
            .counts = no_counts,
            .variable_history = false,
            .symmetry_action = SymmetryAction::invariant,
        },
    };
};

template <>
struct Symmetry<go::Position> {
    static constexpr int count = 8;
    static bool holds(const go::Position&) { return true; }
    static int cell(const go::Position& p, int symmetry, int cell) {
        return transformed_cell(symmetry, cell, p.size());
    }
    static Move move(const go::Position& p, int symmetry, Move m) {
        return m == p.pass() ? m : static_cast<Move>(transformed_cell(symmetry, m, p.size()));
    }
};

}  // namespace sparring
