// What a plain alpha-beta search has to know of a game: specialise Judge beside the game's other code.
#pragma once

#include "game/move.hpp"

namespace sparring::search {

/// Scores are hundredths of the game's smallest unit (a pawn, a token), for the side to move.
constexpr int win_score = 1'000'000;

/// A specialisation has
///   static int evaluate(const P&)        the score without looking ahead, far below win_score;
///   static int stuck(const P&)           the score of a position without moves;
///   static int urgency(const P&, Move)   0 for a quiet move; loud ones (captures) are searched
///                                        beyond the horizon, the most urgent first.
template <class P>
struct Judge;

}  // namespace sparring::search
