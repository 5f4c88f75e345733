#include "expendibots/board.hpp"

#include "game/random.hpp"

namespace sparring::expendibots {

namespace {

struct Zobrist {
    std::uint64_t stack[2][64][max_tokens + 1];  // by colour, square and height
    std::uint64_t black_to_move;
};

constexpr Zobrist make_zobrist() {
    Zobrist z{};
    Random random(0xB007);
    fill(z.stack, random);
    for (auto& color : z.stack) {
        for (auto& heights : color) heights[0] = 0;
    }
    fill(z.black_to_move, random);
    return z;
}

constexpr Zobrist zobrist = make_zobrist();

}  // namespace

void Board::set_height(Color c, Square s, int height) {
    key ^= zobrist.stack[c][s][this->height(s)] ^ zobrist.stack[c][s][height];
    for (int i = 0; i < 4; ++i) {
        digits[i] = (digits[i] & ~bit(s)) | static_cast<Bitboard>(height >> i & 1) << s;
    }
    colors[c] = height ? colors[c] | bit(s) : colors[c] & ~bit(s);
}

void Board::set_turn(Color c) {
    if (turn != c) key ^= zobrist.black_to_move;
    turn = static_cast<std::uint8_t>(c);
}

void Board::explode(Square s) {
    const Bitboard gone = component(bit(s), occupied());
    for (const Color c : {white, black}) {
        for (Bitboard b = gone & colors[c]; b;) {
            const Square stack = pop_lsb(b);
            key ^= zobrist.stack[c][stack][height(stack)];
        }
        colors[c] &= ~gone;
    }
    for (Bitboard& digit : digits) digit &= ~gone;
}

void Board::apply(Move code) {
    const auto us = static_cast<Color>(turn);
    const Action action = decode(code);
    if (action.is_boom()) {
        explode(action.from);
    } else {
        set_height(us, action.from, height(action.from) - action.tokens);
        set_height(us, action.to, height(action.to) + action.tokens);
    }
    ++actions;
    set_turn(us == white ? black : white);
}

}  // namespace sparring::expendibots
