// What an alpha-beta search has to know of a game.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "game/move.hpp"
#include "search/ordered_moves.hpp"

namespace sparring::search {

/// Scores are whole numbers for the side to move; evaluations stay far below a win.
constexpr int win_score = 1'000'000;
/// Beyond this a score says who wins, and in how many plies.
constexpr int decided_score = win_score - 1'000;

/// Moves with an order of this or more are loud: what they do to the balance is seen at once.
constexpr int loud_order = 1 << 24;

/// A judge is a value that searches copy and ask. Its Scene is a position and whatever else of the past its
/// evaluation looks at.
template <class J>
concept Judging = requires(const J judge, const typename J::Scene scene, typename J::Scene next, Move move,
                           OrderedMoves& moves) {
    { scene.key() } -> std::same_as<std::uint64_t>;             // what repetition compares
    { judge.table_key(scene) } -> std::same_as<std::uint64_t>;  // equal only where all of the future is
    { next.play(move) } -> std::same_as<void>;
    {
        judge.decided(scene)
    } -> std::same_as<std::optional<int>>;  // the score of a finished game, the past ignored
    { judge.evaluate(scene) } -> std::same_as<int>;
    {
        judge.moves(scene, moves)
    } -> std::same_as<void>;  // those worth a thought: at least one, unless decided
    { judge.loud(scene, moves) } -> std::same_as<void>;  // those to be tried beyond the horizon
    { J::reversible(move) } -> std::same_as<bool>;       // whether earlier positions can come again after it
    { J::visits_to_draw } -> std::convertible_to<int>;   // of one position; 0 where none does
    { J::history_slots } -> std::convertible_to<int>;  // a power of two: for how moves fared, by their codes
};

}  // namespace sparring::search
