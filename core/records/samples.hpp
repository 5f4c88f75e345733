// Recorded games as lines of positions: what a network learns from, before it is encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "game/state.hpp"
#include "records/pgn.hpp"

namespace sparring::records {

/// A game as it lies in a table, and which of its positions are wanted.
struct PackedGame {
    std::string start;                 // the text of its first position
    std::string moves;                 // each its index among the legal moves in ascending order
    std::vector<std::int32_t> clocks;  // tenths of a second left after each move; may be empty
    std::int64_t skip_plies = 0;
    std::int64_t min_clock = 0;  // on the clock, where it is known
};

/// A position of a game, and what was played there. The node keeps the line before it alive.
template <GamePosition P>
struct Sample {
    std::shared_ptr<const Node<P>> node;
    Move played;
    std::uint32_t game;         // its number among the games
    std::int32_t clock_before;  // tenths of a second that the mover had left before the move, or no_clock
    std::int32_t clock;         // and after it
};

/// The clock after a move, where there is one. A player's first move has no clock before it.
inline std::int32_t clock_of(const PackedGame& game, std::size_t ply) {
    return ply < game.clocks.size() ? game.clocks[ply] : no_clock;
}

/// The index that is packed as move `ply`, in one byte or two.
inline std::size_t packed_index(std::string_view moves, std::size_t ply, int width) {
    if (width == 1) return static_cast<unsigned char>(moves[ply]);
    return static_cast<std::size_t>(static_cast<unsigned char>(moves[2 * ply])) |
           static_cast<std::size_t>(static_cast<unsigned char>(moves[2 * ply + 1])) << 8;
}

/// Adds the wanted positions of a game. Outcomes are not asked for: games on record may go on after a draw
/// by rule, and working them out would take most of the time. Throws ParseError or IllegalMove.
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
