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
constexpr int noisy_order = 1 << 24;

/// A judge is a value that searches copy and ask. Its Scene is a position and whatever else of the past its
/// evaluation looks at.
template <class J>
concept Evaluator = requires(const J evaluator, const typename J::SearchState search_state,
                             typename J::SearchState next, Move move, OrderedMoves& moves) {
    { search_state.key() } -> std::same_as<std::uint64_t>;  // what repetition compares
    {
        evaluator.table_key(search_state)
    } -> std::same_as<std::uint64_t>;  // equal only where all of the future is
    { next.play(move) } -> std::same_as<void>;
    {
        evaluator.decided(search_state)
    } -> std::same_as<std::optional<int>>;  // the score of a finished game, the past ignored
    { evaluator.evaluate(search_state) } -> std::same_as<int>;
    {
        evaluator.moves(search_state, moves)
    } -> std::same_as<void>;  // those worth a thought: at least one, unless decided
    {
        evaluator.noisy_moves(search_state, moves)
    } -> std::same_as<void>;                        // those to be tried beyond the horizon
    { J::reversible(move) } -> std::same_as<bool>;  // whether earlier positions can come again after it
    { J::repetitions_to_draw } -> std::convertible_to<int>;  // of one position; 0 where none does
    { J::history_slots } -> std::convertible_to<int>;  // a power of two: for how moves fared, by their codes
};

}  // namespace sparring::search
