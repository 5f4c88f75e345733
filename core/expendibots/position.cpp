#include "expendibots/position.hpp"

#include <algorithm>

#include "game/random.hpp"

namespace sparring::expendibots {

Position::Position() : board_(parse_position("aa1aa1aa/aa1aa1aa/8/8/8/8/AA1AA1AA/AA1AA1AA w 0")) {}

std::uint64_t Position::hash() const { return Random(board_.key ^ board_.actions).next(); }

void Position::moves(MoveList& list) const {
    if (decided()) return;
    const Bitboard own = board_.colors[board_.turn], enemy = board_.colors[1 - board_.turn];
    for (Bitboard stacks = own; stacks;) list.push(boom(pop_lsb(stacks)));
    for (Bitboard stacks = own; stacks;) {
        const Square from = pop_lsb(stacks);
        const int height = board_.height(from);
        for (Bitboard targets = reach(from, height) & ~enemy; targets;) {
            const Square to = pop_lsb(targets);
            for (int tokens = 1; tokens <= height; ++tokens) list.push(move(from, to, tokens));
        }
    }
}

std::uint64_t Position::count() const {
    if (decided()) return 0;
    const Bitboard own = board_.colors[board_.turn], enemy = board_.colors[1 - board_.turn];
    int total = std::popcount(own);
    for (Bitboard stacks = own; stacks;) {
        const Square from = pop_lsb(stacks);
        const int height = board_.height(from);
        total += height * std::popcount(reach(from, height) & ~enemy);
    }
    return static_cast<std::uint64_t>(total);
}

void Position::encode(float* out) const {
    constexpr float most_tokens = max_tokens;
    const Square flip = board_.turn == white ? 0 : 56;
    std::fill(out, out + 6 * 64, 0.0f);
    for (Bitboard left = board_.occupied(); left;) {
        const Bitboard together = component(left & -left, board_.occupied());
        left &= ~together;
        for (const int owner : {0, 1}) {
            const Bitboard theirs = board_.colors[owner == 0 ? board_.turn : 1 - board_.turn];
            const auto tokens = static_cast<float>(board_.tokens(together & theirs));
            for (Bitboard squares = together; squares;) {
                const Square s = pop_lsb(squares);
                float* place = out + (s ^ flip);
                place[(4 + owner) * 64] = tokens / most_tokens;
                if (!(theirs & bit(s))) continue;
                place[owner * 64] = static_cast<float>(board_.height(s)) / most_tokens;
                place[(2 + owner) * 64] = 1.0f;
            }
        }
    }
    std::fill(out + 6 * 64, out + planes * 64,
              std::min(static_cast<float>(board_.actions) / action_limit, 1.0f));
}

Outcome Position::outcome(const Node<Position>& node) {
    const Board& board = node.position.board_;
    if (!board.occupied()) return Outcome::draw("all tokens gone");
    for (const Color c : {white, black}) {
        if (!board.colors[c]) return Outcome::win(1 - c, "no tokens");
    }
    if (visits(node) >= 4) return Outcome::draw("repetition");
    if (board.actions >= action_limit) return Outcome::draw("move limit");
    return {};
}

int visits(const Node<Position>& node) {
    int count = 1;
    for (const Node<Position>* n = &node; n->previous && !is_boom(n->move); n = n->previous.get()) {
        count += n->previous->position.key() == node.position.key();
    }
    return count;
}

}  // namespace sparring::expendibots
