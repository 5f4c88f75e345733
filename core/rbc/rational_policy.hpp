// A policy of moves weighted by a native evaluation: the network predicts typical moves, the evaluation rules
// out most of those that lose a piece.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "rbc/bandit.hpp"
#include "rbc/board_search.hpp"
#include "rbc/infostate.hpp"

namespace sparring::rbc {

/// The number of boards of an infostate over which its moves are evaluated.
constexpr std::size_t evaluated_boards = 3;

/// Multiplies the priors of the moves of a player by exp(rationality * win probability). The probability is
/// that of a quiescence search after the move, a mean over some boards that the player thinks possible.
inline void weigh_by_value(std::vector<Edge>& edges, const Infostate& state, double rationality) {
    const auto& boards = state.boards();
    const std::size_t count = std::min(evaluated_boards, boards.size());
    std::vector<double> values(edges.size());
    for (std::size_t k = 0; k < count; ++k) {
        const chess::Board board = whole_board(state.known(), boards[k * boards.size() / count]);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            chess::Board next = board;
            apply(next, taken(board, edges[i].action));
            values[i] += std::tanh(-BoardSearch(0, 0).score(next) / centipawns_of_a_win) / 2;
        }
    }
    const double best = *std::max_element(values.begin(), values.end());
    double total = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        edges[i].prior *=
            static_cast<float>(std::exp(rationality * (values[i] - best) / static_cast<double>(count)));
        total += static_cast<double>(edges[i].prior);
    }
    for (Edge& edge : edges) edge.prior /= static_cast<float>(total);
}

}  // namespace sparring::rbc
