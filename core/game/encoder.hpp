// Encoders: network inputs of a position, and the numbering of its moves in a network's policy.
//
// A game specialises Encoders in its own encoding.hpp. A new encoding is one more entry of that list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "game/state.hpp"

namespace sparring {

/// Writes the encoding of the newest position of a line to `out`, which holds zeros. `history` is the number
/// of positions to show; encoders without variable_history ignore it.
template <GamePosition P, class T>
using EncodeFunction = void (*)(const Node<P>& node, int history, T* out);

/// The label of a move that an encoding cannot express.
constexpr std::uint16_t no_label = 0xFFFF;

/// The effect of a board symmetry on an encoding.
enum class SymmetryAction : std::uint8_t {
    cells,        // [planes, rows, columns]: permutes the cells of every plane
    invariant,    // none
    unsupported,  // not defined
};

template <GamePosition P>
struct Encoder {
    using Shape = std::vector<std::size_t>;

    std::string_view name;
    /// The shape of one encoded position.
    Shape (*shape)(const P& position, int history);
    /// Exactly one of the two is set: `write_bytes` if all values are small whole numbers.
    EncodeFunction<P, float> write_floats;
    EncodeFunction<P, std::uint8_t> write_bytes;
    /// The policy entry of a move of the side to move, or no_label.
    std::uint16_t (*label)(const P& position, Move move);
    /// The half-open range of planes that hold counts, one value on every cell. All other byte planes hold 0
    /// and 1.
    std::pair<std::size_t, std::size_t> (*counts)(int history);
    bool variable_history;  // whether the caller chooses the number of positions shown
    SymmetryAction symmetry_action;
};

/// The encoders of the game with positions P. A specialisation has `static constexpr std::array list`.
template <class P>
struct Encoders;

/// The encoder with that name, or null.
template <GamePosition P>
const Encoder<P>* find_encoder(std::string_view name) {
    for (const auto& encoder : Encoders<P>::list) {
        if (encoder.name == name) return &encoder;
    }
    return nullptr;
}

constexpr std::pair<std::size_t, std::size_t> no_counts(int) { return {0, 0}; }

/// Labels that are the move codes.
template <GamePosition P>
std::uint16_t move_code_label(const P&, Move move) {
    return move;
}

/// The encoding "planes", which every game has: Position::encode of the newest positions, newest first, each
/// seen by its own side to move. Positions before the start of the line are zeros. Labels are the move codes.
template <GamePosition P>
constexpr Encoder<P> plane_encoder = {
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

}  // namespace sparring
