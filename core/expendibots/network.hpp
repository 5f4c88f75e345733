// The inputs of Expendibots' value network: the stacks, one-hot, and the measurements of features.hpp.
#pragma once

#include <tuple>

#include "expendibots/board.hpp"
#include "expendibots/features.hpp"
#include "expendibots/position.hpp"
#include "search/value_network.hpp"

namespace sparring::expendibots {

struct NetworkInputs {
    using Subject = Board;
    static constexpr int places = 2 * max_tokens * 64;  // by owner (the mover first), height and square
    static constexpr int most_places = 2 * max_tokens;
    static constexpr int numbers = static_cast<int>(std::tuple_size_v<Measured>);

    static const Board& subject(const Position& position) { return position.board(); }

    /// The input index of a stack; rows are reversed for Black.
    static int place(const Board& board, Square s) {
        const bool own = board.colors[board.turn] & bit(s);
        const Square seen = board.turn == white ? s : s ^ 56;
        return ((own ? 0 : max_tokens) + board.height(s) - 1) * 64 + seen;
    }
    template <class F>
    static void for_each_place(const Board& board, F f) {
        for (Bitboard stacks = board.occupied(); stacks;) f(place(board, pop_lsb(stacks)));
    }
    static Measured measure(const Board& board) { return expendibots::measure(board); }
};

using Network = search::ValueNetwork<NetworkInputs>;

}  // namespace sparring::expendibots
