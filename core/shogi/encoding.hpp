// The encoders and the symmetries of shogi: left and right may be exchanged.
#pragma once

#include <array>

#include "game/encoder.hpp"
#include "game/symmetry.hpp"
#include "shogi/boards.hpp"
#include "shogi/position.hpp"

namespace sparring {

template <>
struct Encoders<shogi::Position> {
    using E = Encoder<shogi::Position>;
    static constexpr std::array list = {
        plane_encoder<shogi::Position>,
        E{
            .name = "boards",
            .shape = [](const shogi::Position&,
                        int history) { return E::Shape{shogi::boards::planes(history), 9, 9}; },
            .write_floats = nullptr,
            .write_bytes = shogi::boards::encode,
            .label =
                [](const shogi::Position& position, Move move) {
                    return shogi::boards::label(position.board(), move).value_or(no_label);
                },
            .counts =
                [](int history) {
                    const std::size_t hands = shogi::boards::planes(history) - shogi::boards::other_planes;
                    return std::pair{hands, hands + 2 * std::size_t{shogi::num_hand_types}};
                },
            .variable_history = true,
            .symmetry_action = SymmetryAction::cells,
        },
    };
};

template <>
struct Symmetry<shogi::Position> {
    static constexpr int count = 2;
    static bool holds(const shogi::Position&) { return true; }
    static int cell(const shogi::Position&, int symmetry, int cell) {
        return transformed_cell(symmetry, cell, 9);
    }
    static Move move(const shogi::Position&, int, Move m) {
        if (m == shogi::declare_win) return m;
        const Move promotes = m & shogi::promoting;
        const int from = shogi::is_drop(m) ? shogi::origin(m) : mirrored(shogi::origin(m));
        return static_cast<Move>(shogi::make_move(from, mirrored(shogi::to_square(m))) | promotes);
    }

 private:
    static shogi::Square mirrored(shogi::Square s) { return (8 - shogi::file_of(s)) * 9 + shogi::rank_of(s); }
};

}  // namespace sparring
