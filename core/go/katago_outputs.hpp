// What the outputs of KataGo's networks mean for a position.
#pragma once

#include <array>

#include "game/state.hpp"
#include "go/position.hpp"

namespace sparring::go::katago {

/// Softmax over the legal moves: `logits` is [side * side + 1], rows from the top and the pass last;
/// `probabilities` has room for every move.
void policy(const Position& position, const MoveList& moves, int side, const float* logits,
            float* probabilities);

/// Probabilities for the player to move.
struct ValueOutput {
    double win;
    double no_result;  // by a repetition that the rules do not forbid
    double loss;
};

/// From the logits of win, loss and no result.
ValueOutput result(const Position& position, const float* logits);

}  // namespace sparring::go::katago
