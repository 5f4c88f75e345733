// How networks see the newest position of a line. A new encoding is one more entry of its game's list.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "chess/maia3.hpp"
#include "game/state.hpp"

namespace sparring::records {

template <GamePosition P>
struct Encoder {
    using Shape = std::vector<std::size_t>;

    std::string_view name;
    Shape (*shape)(const P& position, int history);
    /// Writes into zeros. `history` is the number of positions to show, for encoders that leave the choice.
    void (*write)(const Node<P>& node, int history, float* out);
    bool any_history;  // whether it leaves that choice
    bool is_planes;    // [planes, rows, columns]: symmetries of the board turn it
};

/// The game's own planes of the newest positions, newest first, each as its own mover sees it; zeros stand
/// for those before the line began.
template <GamePosition P>
constexpr Encoder<P> own_planes = {
    "planes",
    [](const P& position, int history) {
        const auto [planes, rows, columns] = position.shape();
        return typename Encoder<P>::Shape{planes * static_cast<std::size_t>(history), rows, columns};
    },
    [](const Node<P>& node, int history, float* out) {
        const auto [planes, rows, columns] = node.position.shape();
        const Node<P>* shown = &node;
        for (int back = 0; back < history && shown; ++back, shown = shown->previous.get()) {
            shown->position.encode(out + static_cast<std::size_t>(back) * planes * rows * columns);
        }
    },
    true,
    true,
};

template <GamePosition P>
constexpr std::array encoder_list = {own_planes<P>};

template <>
inline constexpr std::array encoder_list<chess::Position> = {
    own_planes<chess::Position>,
    Encoder<chess::Position>{
        "maia3",
        [](const chess::Position&, int) {
            return Encoder<chess::Position>::Shape{chess::maia3::squares, chess::maia3::token_size};
        },
        [](const Node<chess::Position>& node, int, float* out) { chess::maia3::encode(node, out); },
        false,
        false,
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
