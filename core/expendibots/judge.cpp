#include "expendibots/judge.hpp"

#include <algorithm>
#include <cstdlib>

namespace sparring::search {

namespace {

using namespace expendibots;

int tokens(const Board& b, int color) { return b.tokens(b.colors[color]); }

/// Rows and columns between the two sides' stacks, summed over each stack's nearest opponent.
int distance(const Board& b) {
    int total = 0;
    for (Bitboard from = b.colors[white]; from;) {
        const Square s = pop(from);
        int nearest = 14;
        for (Bitboard to = b.colors[black]; to;) {
            const Square t = pop(to);
            nearest = std::min(nearest, std::abs(x_of(s) - x_of(t)) + std::abs(y_of(s) - y_of(t)));
        }
        total += nearest;
    }
    return total / std::max(1, std::popcount(b.colors[white]));
}

}  // namespace

int Judge<expendibots::Position>::evaluate(const expendibots::Position& p) {
    const Board& b = p.board();
    const int own = tokens(b, b.turn), other = tokens(b, 1 - b.turn);
    const int balance = 100 * (own - other) + 600 * (own - other) / (own + other);
    const int chase = own == other ? 0 : own > other ? -3 : 3;
    return balance + chase * distance(b);
}

int Judge<expendibots::Position>::stuck(const expendibots::Position& p) {
    const Board& b = p.board();
    const int own = tokens(b, b.turn), other = tokens(b, 1 - b.turn);
    return own == other ? 0 : own > other ? win_score : -win_score;
}

int Judge<expendibots::Position>::urgency(const expendibots::Position& p, Move m) {
    if (!is_boom(m)) return 0;
    const Board& b = p.board();
    const Bitboard gone = component(bit(decode(m).from), b.occupied());
    const int gain = b.tokens(gone & b.colors[1 - b.turn]) - b.tokens(gone & b.colors[b.turn]);
    const bool ends = (gone & b.colors[1 - b.turn]) == b.colors[1 - b.turn];
    return gain > 0 || ends ? 100 + gain : 0;
}

}  // namespace sparring::search
