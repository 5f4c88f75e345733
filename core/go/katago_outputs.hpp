// Outputs of KataGo networks.
#pragma once

#include <array>

#include "game/state.hpp"
#include "go/position.hpp"

namespace sparring::go::katago {

/// Writes the softmax over the legal moves to `probabilities`, [moves]. `logits` is [side * side + 1], rows
/// from the top, the pass last.
void policy(const Position& position, const MoveList& moves, int side, const float* logits,
            float* probabilities);

/// Probabilities for the player to move.
struct ValueOutput {
    double win;
    double no_result;  // by repetition, if the rules allow it
    double loss;
};

/// The probabilities from the logits of win, loss and no result.
ValueOutput result(const Position& position, const float* logits);

}  // namespace sparring::go::katago
