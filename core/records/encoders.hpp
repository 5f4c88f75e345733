// How networks see the newest position of a line, and how they number its moves. A new encoding is one more
// entry of its game's list.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "chess/lc0.hpp"
#include "chess/maia3.hpp"
#include "game/state.hpp"
#include "katago/features.hpp"
#include "shogi/boards.hpp"

namespace sparring::records {

/// Written into zeros. `history` is the number of positions to show, for encoders that leave the choice.
template <GamePosition P, class T>
using Write = void (*)(const Node<P>& node, int history, T* out);

/// A move that an encoding has no label for.
constexpr std::uint16_t no_label = 0xFFFF;

/// What a symmetry of the board does to an encoding.
enum class SymmetryAction : std::uint8_t {
    cells,        // [planes, rows, columns]: it moves the cells of every plane
    invariant,    // the same numbers whichever way the board lies
    unsupported,  // cannot be turned
};

template <GamePosition P>
struct Encoder {
    using Shape = std::vector<std::size_t>;

    std::string_view name;
    Shape (*shape)(const P& position, int history);
    /// One of the two: fractions, or whole numbers, which are quicker to move to where they are needed.
    Write<P, float> write_floats;
    Write<P, std::uint8_t> write_bytes;
    /// The entry of a network's policy that means a move of the side to move, or no_label.
    std::uint16_t (*label)(const P& position, Move move);
    /// Planes of bytes, from and to, that hold a count each, the same on every cell; all others hold 0 and 1.
    std::pair<std::size_t, std::size_t> (*counts)(int history);
    bool variable_history;  // whether it leaves that choice
    SymmetryAction symmetry_action;
};

constexpr std::pair<std::size_t, std::size_t> no_counts(int) { return {0, 0}; }

template <GamePosition P>
std::uint16_t move_code_label(const P&, Move move) {
    return move;
}

/// The game's own planes of the newest positions, newest first, each as its own mover sees it; zeros stand
/// for those before the line began. Moves are numbered by their codes.
template <GamePosition P>
constexpr Encoder<P> game_planes = {
    .name = "planes",
    .shape =
        [](const P& position, int history) {
            const auto [planes, rows, columns] = position.shape();
            return typename Encoder<P>::Shape{planes * static_cast<std::size_t>(history), rows, columns};
        },
    .write_floats =
        [](const Node<P>& node, int history, float* out) {
            const auto [planes, rows, columns] = node.position.shape();
            const Node<P>* shown = &node;
            for (int back = 0; back < history && shown; ++back, shown = shown->previous.get()) {
                shown->position.encode(out + static_cast<std::size_t>(back) * planes * rows * columns);
            }
        },
    .write_bytes = nullptr,
    .label = move_code_label<P>,
    .counts = no_counts,
    .variable_history = true,
    .symmetry_action = SymmetryAction::cells,
};

template <GamePosition P>
constexpr std::array encoder_list = {game_planes<P>};

template <>
inline constexpr std::array encoder_list<chess::Position> = {
    game_planes<chess::Position>,
    Encoder<chess::Position>{
        .name = "lc0",
        .shape = [](const chess::Position&,
                    int) { return Encoder<chess::Position>::Shape{chess::lc0::planes, 8, 8}; },
        .write_floats = nullptr,
        .write_bytes = [](const Node<chess::Position>& node, int,
                          std::uint8_t* out) { chess::lc0::encode(node, out); },
        .label =
            [](const chess::Position& position, Move move) {
                return static_cast<std::uint16_t>(chess::lc0::policy_index(position.board(), move));
            },
        .counts =
            [](int) { return std::pair<std::size_t, std::size_t>{109, 110}; },  // plies without progress
        .variable_history = false,
        .symmetry_action = SymmetryAction::cells,
    },
    Encoder<chess::Position>{
        .name = "maia3",
        .shape =
            [](const chess::Position&, int) {
                return Encoder<chess::Position>::Shape{chess::maia3::squares, chess::maia3::token_size};
            },
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

template <>
inline constexpr std::array encoder_list<shogi::Position> = {
    game_planes<shogi::Position>,
    Encoder<shogi::Position>{
        .name = "boards",
        .shape =
            [](const shogi::Position&, int history) {
                return Encoder<shogi::Position>::Shape{shogi::boards::planes(history), 9, 9};
            },
        .write_floats = nullptr,
        .write_bytes = shogi::boards::encode,
        .label = [](const shogi::Position& position,
                    Move move) { return shogi::boards::label(position.board(), move).value_or(no_label); },
        .counts =
            [](int history) {
                const std::size_t hands = shogi::boards::planes(history) - shogi::boards::other_planes;
                return std::pair{hands, hands + 2 * std::size_t{shogi::num_hand_types}};
            },
        .variable_history = true,
        .symmetry_action = SymmetryAction::cells,
    },
};

template <>
inline constexpr std::array encoder_list<go::Position> = {
    game_planes<go::Position>,
    Encoder<go::Position>{
        .name = "katago",
        .shape =
            [](const go::Position& position, int) {
                const auto side = static_cast<std::size_t>(position.size());
                return Encoder<go::Position>::Shape{katago::spatial_planes, side, side};
            },
        .write_floats = nullptr,
        .write_bytes = katago::encode_spatial,
        .label = move_code_label<go::Position>,
        .counts = no_counts,
        .variable_history = false,
        .symmetry_action = SymmetryAction::cells,
    },
    Encoder<go::Position>{
        .name = "katago-global",
        .shape = [](const go::Position&, int) { return Encoder<go::Position>::Shape{katago::global_inputs}; },
        .write_floats = katago::encode_global,
        .write_bytes = nullptr,
        .label = move_code_label<go::Position>,
        .counts = no_counts,
        .variable_history = false,
        .symmetry_action = SymmetryAction::invariant,
    },
};

/// The encoder of that name, or nothing.
template <GamePosition P>
const Encoder<P>* find_encoder(std::string_view name) {
    for (const auto& encoder : encoder_list<P>) {
        if (encoder.name == name) return &encoder;
    }
    return nullptr;
}

}  // namespace sparring::records
