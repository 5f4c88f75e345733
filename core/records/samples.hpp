// Positions of recorded games with their lines of play, before they are encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "game/packed_moves.hpp"
#include "game/state.hpp"
#include "records/pgn_comments.hpp"

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

/// Appends the positions of a game that pass its filter. Outcomes are not computed: recorded games may
/// continue after a draw by rule, and the computation would take most of the time. Throws ParseError or
/// IllegalMove.
template <GamePosition P>
void collect_samples(const PackedGame& game, int width, std::uint32_t number,
                     std::vector<Sample<P>>& samples) {
    const std::size_t plies = packed_size(game.moves, width);
    auto node = std::make_shared<Node<P>>(P::parse(game.start), nullptr, 0);
    MoveList list;
    for (std::size_t ply = 0; ply < plies; ++ply) {
        list.clear();
        P::legal_moves(*node, list);
        list.sort();
        const Move move = packed_move(game.moves, ply, width, list);
        const std::int32_t clock = clock_of(game, ply);
        const bool hurried = clock != no_clock && clock < game.min_clock;
        if (static_cast<std::int64_t>(ply) >= game.skip_plies && !hurried)
            samples.push_back({node, move, number, clock_of(game, ply - 2), clock});
        if (ply + 1 == plies) return;
        auto next = std::make_shared<Node<P>>(node->position, node, move);
        next->position.play(move);
        node = std::move(next);
    }
}

}  // namespace sparring::records
