// How a game ended, if it did.
#pragma once

#include <cstdint>

namespace sparring {

/// Players are 0 (who moves first) and 1.
using Player = int;

enum class Reason : std::uint8_t {
    none,  // the game goes on
    checkmate,
    stalemate,
    insufficient_material,
    seventyfive_moves,
    fifty_moves,
    fivefold_repetition,
    threefold_repetition,
    king_capture,
    move_limit,
    no_moves,
    repetition,
    perpetual_check,
    declaration,
    score,
    no_tokens,
    all_tokens_gone,
    far_row,
    no_pieces,
};

/// Over when it has a reason; a draw when it is over and nobody won.
struct Outcome {
    static constexpr std::int8_t no_winner = -1;

    Reason reason = Reason::none;
    std::int8_t winner = no_winner;

    static Outcome win(Player player, Reason reason) { return {reason, static_cast<std::int8_t>(player)}; }
    static Outcome draw(Reason reason) { return {reason, no_winner}; }

    bool over() const { return reason != Reason::none; }
    bool operator==(const Outcome&) const = default;
};

const char* reason_name(Reason reason);

}  // namespace sparring
