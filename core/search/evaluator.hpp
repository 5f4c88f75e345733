// The interface between alpha-beta and a game.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "game/move.hpp"
#include "search/ordered_moves.hpp"

namespace sparring::search {

/// The score of a win, for the side to move. Static evaluations are far smaller.
constexpr int win_score = 1'000'000;
/// Scores of larger absolute value are decided: win_score minus the plies to the end.
constexpr int decided_score = win_score - 1'000;

/// Moves with an order value of at least this are noisy (captures): quiescence search tries them.
constexpr int noisy_order = 1 << 24;

// clang-format off
/// An Evaluator is a value type that searches copy. Its SearchState is a position and whatever else of the
/// past the evaluation depends on. With `E evaluator; E::SearchState state`:
///
///   state.key()                          key that repetition compares
///   state.play(move)                     plays a move
///   evaluator.table_key(state)           equal only for states with the same legal continuations and scores
///   evaluator.decided(state)             score of a finished game, without the history; else nothing
///   evaluator.evaluate(state)            static evaluation
///   evaluator.moves(state, moves)        moves to search, at least one unless decided
///   evaluator.noisy_moves(state, moves)  moves to search in quiescence
///   E::reversible(move)                  whether earlier positions can recur after the move
///   E::repetitions_to_draw               occurrences of a position that make a draw; 0 for none
///   E::history_slots                     size of the history table: a power of two, indexed by move codes
// clang-format on
template <class E>
concept Evaluator = requires(const E evaluator, const typename E::SearchState state,
                             typename E::SearchState next, Move move, OrderedMoves& moves) {
    { state.key() } -> std::same_as<std::uint64_t>;
    { next.play(move) } -> std::same_as<void>;
    { evaluator.table_key(state) } -> std::same_as<std::uint64_t>;
    { evaluator.decided(state) } -> std::same_as<std::optional<int>>;
    { evaluator.evaluate(state) } -> std::same_as<int>;
    { evaluator.moves(state, moves) } -> std::same_as<void>;
    { evaluator.noisy_moves(state, moves) } -> std::same_as<void>;
    { E::reversible(move) } -> std::same_as<bool>;
    { E::repetitions_to_draw } -> std::convertible_to<int>;
    { E::history_slots } -> std::convertible_to<int>;
};

}  // namespace sparring::search
