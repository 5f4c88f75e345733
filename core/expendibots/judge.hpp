// Tokens and nearness: what the small search player knows of Expendibots.
#pragma once

#include "expendibots/position.hpp"
#include "search/judge.hpp"

namespace sparring::search {

template <>
struct Judge<expendibots::Position> {
    /// Hundredths of a token: the balance, sharper the fewer are left, and for whoever is ahead a
    /// little for standing near the other side.
    static int evaluate(const expendibots::Position& p);
    /// Only a finished game has no actions.
    static int stuck(const expendibots::Position& p);
    /// Booms are loud, by what they gain.
    static int urgency(const expendibots::Position& p, Move m);
};

}  // namespace sparring::search
