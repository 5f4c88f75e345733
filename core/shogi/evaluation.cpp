#include "shogi/evaluation.hpp"

#include <array>

namespace sparring::search {

namespace {

using shogi::Bitboard;
using shogi::Board;
using shogi::Color;

constexpr std::array<int, shogi::num_piece_types> values = {100, 350, 400, 550, 850, 1000, 600,
                                                            0,   650, 620, 640, 640, 1150, 1350};

int side_value(const Board& b, Color c) {
    int total = 0;
    for (int type = 0; type < shogi::num_piece_types; ++type) {
        total += values[type] * shogi::count(b.colors[c] & b.types[type]);
    }
    for (int type = 0; type < shogi::num_hand_types; ++type) {
        total += (values[type] + values[type] / 10) * b.hands[c][type];
    }
    // Pieces near the own king defend it, pieces near the opponent's king attack it.
    const Bitboard own = b.colors[c] - b.types[shogi::king];
    total += 15 * shogi::count(own & shogi::king_steps(b.king_of(c)));
    total += 25 * shogi::count(own & shogi::tables.near[b.king_of(~c)]);
    return total;
}

}  // namespace

int MaterialRules<shogi::Position>::evaluate(const shogi::Position& p) {
    const Board& b = p.board();
    return side_value(b, b.side()) - side_value(b, ~b.side());
}

int MaterialRules<shogi::Position>::mvv_lva(const shogi::Position& p, Move m) {
    if (shogi::is_drop(m)) return 0;
    const Board& b = p.board();
    const int victim = b.squares[shogi::to_square(m)];
    const int promotes = m & shogi::promoting ? 50 : 0;
    if (victim == shogi::no_piece) return promotes ? 1 : 0;
    return values[victim] * 10 - values[b.squares[shogi::origin(m)]] / 10 + 1000 + promotes;
}

}  // namespace sparring::search
