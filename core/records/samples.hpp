// Positions of recorded games with their lines of play, before they are encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "game/state.hpp"
#include "records/pgn.hpp"

namespace sparring::records {

/// A packed game of a table, and a filter of its positions.
struct PackedGame {
    std::string start;                 // text of the first position
    std::string moves;                 // packed: the index among the legal moves in ascending order
    std::vector<std::int32_t> clocks;  // tenths of a second left after each move; may be empty
    std::int64_t skip_plies = 0;
    std::int64_t min_clock = 0;  // tenths of a second, if the clock is known
};

/// A position of a game and the move played. The node keeps the line alive.
template <GamePosition P>
struct Sample {
    std::shared_ptr<const Node<P>> node;
    Move played;
    std::uint32_t game;         // index of the game
    std::int32_t clock_before;  // clock of the mover before the move in tenths of a second, or no_clock
    std::int32_t clock;         // and after it
};

/// The clock after a move, or no_clock.
inline std::int32_t clock_of(const PackedGame& game, std::size_t ply) {
    return ply < game.clocks.size() ? game.clocks[ply] : no_clock;
}

/// The packed index of move `ply`, of `width` bytes (1 or 2).
inline std::size_t packed_index(std::string_view moves, std::size_t ply, int width) {
    if (width == 1) return static_cast<unsigned char>(moves[ply]);
    return static_cast<std::size_t>(static_cast<unsigned char>(moves[2 * ply])) |
           static_cast<std::size_t>(static_cast<unsigned char>(moves[2 * ply + 1])) << 8;
}

/// Appends the positions of a game that pass its filter. Outcomes are not computed: recorded games may
/// continue after a draw by rule, and the computation would take most of the time. Throws ParseError or
/// IllegalMove.
template <GamePosition P>
void collect_samples(const PackedGame& game, int width, std::uint32_t number,
                     std::vector<Sample<P>>& samples) {
    if (game.moves.size() % static_cast<std::size_t>(width) != 0)
        throw ParseError("packed moves are cut off");
    const std::size_t plies = game.moves.size() / static_cast<std::size_t>(width);
    auto node = std::make_shared<Node<P>>(P::parse(game.start), nullptr, 0);
    MoveList list;
    for (std::size_t ply = 0; ply < plies; ++ply) {
        list.clear();
        P::legal_moves(*node, list);
        list.sort();
        const std::size_t index = packed_index(game.moves, ply, width);
        if (index >= list.size()) {
            throw IllegalMove("packed move " + std::to_string(ply + 1) + " is none of the legal ones");
        }
        const std::int32_t clock = clock_of(game, ply);
        const bool hurried = clock != no_clock && clock < game.min_clock;
        if (static_cast<std::int64_t>(ply) >= game.skip_plies && !hurried)
            samples.push_back({node, list[index], number, clock_of(game, ply - 2), clock});
        if (ply + 1 == plies) return;
        auto next = std::make_shared<Node<P>>(node->position, node, list[index]);
        next->position.play(list[index]);
        node = std::move(next);
    }
}

}  // namespace sparring::records
