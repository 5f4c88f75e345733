// The result of a finished game.
#pragma once

#include <cstdint>
#include <string_view>

namespace sparring {

/// A player: 0 moves first by the rules, 1 is the opponent.
using Player = int;

/// A result, or none: the default value means that the game is not over.
struct Outcome {
    static constexpr std::int8_t no_winner = -1;

    std::string_view reason;         // such as "checkmate", a string literal; empty while the game goes on
    std::int8_t winner = no_winner;  // a Player, or no_winner for a draw

    static Outcome win(Player player, std::string_view reason) {
        return {reason, static_cast<std::int8_t>(player)};
    }
    static Outcome draw(std::string_view reason) { return {reason, no_winner}; }

    bool over() const { return !reason.empty(); }
    bool operator==(const Outcome&) const = default;
};

}  // namespace sparring
