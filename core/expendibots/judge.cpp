#include "expendibots/judge.hpp"

#include "game/random.hpp"
#include "search/effort.hpp"
#include "search/linear.hpp"

namespace sparring::expendibots {

namespace {

using search::OrderedMoves;

int tokens(const Board& board, int color) { return board.tokens(board.colors[color]); }

/// How far up the board a square is for a side, from 0 to 7.
int row_for(int color, Square s) { return color == white ? y_of(s) : 7 - y_of(s); }

/// Whether a boom is worth it: more own tokens for each of the other's than before, or none of the other's
/// left.
bool betters(int own, int other, int own_lost, int other_lost) {
    if (other_lost == other) return true;
    return (own - own_lost) * other > own * (other - other_lost);
}

}  // namespace

Scene Judge::scene(const Node<Position>& node) {
    int booms = 0;
    const Node<Position>* n = &node;
    for (; n->previous; n = n->previous.get()) booms += is_boom(n->move);
    const Board& start = n->position.board();
    const int missing = 2 * max_tokens - tokens(start, white) - tokens(start, black);
    return {node.position.board(), booms + missing / 4};
}

std::optional<int> Judge::decided(const Scene& scene) const {
    const Board& board = scene.board;
    const Bitboard own = board.colors[board.turn], other = board.colors[1 - board.turn];
    if (!own || !other) return own ? search::win_score : other ? -search::win_score : 0;
    if (board.actions >= action_limit) return 0;
    if (stage_ && Features::stage(scene) != *stage_) {
        const int lead = tokens(board, board.turn) - tokens(board, 1 - board.turn);
        return ((lead > 0) - (lead < 0)) * static_cast<int>(search::win_value) * search::score_unit +
               lead * search::score_unit;
    }
    return {};
}

int Judge::evaluate(const Scene& scene) const { return search::score_of(weights_->value(scene)); }

void Judge::loud(const Scene& scene, OrderedMoves& moves) const {
    const Board& board = scene.board;
    const Bitboard enemy = board.colors[1 - board.turn], occupied = board.occupied();
    const int own_tokens = tokens(board, board.turn), enemy_tokens = tokens(board, 1 - board.turn);
    // Without an enemy in its component a boom only loses tokens.
    for (Bitboard stacks = board.colors[board.turn] & surroundings(enemy); stacks;) {
        const Square s = std::countr_zero(stacks);
        const Bitboard gone = component(bit(s), occupied);
        stacks &= ~gone;
        const int lost = board.tokens(gone & ~enemy), won = board.tokens(gone & enemy);
        if (!betters(own_tokens, enemy_tokens, lost, won)) continue;
        moves.push(boom(s), search::loud_order + 16 * (won - lost + max_tokens) + row_for(board.turn, s));
    }
}

void Judge::moves(const Scene& scene, OrderedMoves& moves) const {
    loud(scene, moves);
    const Board& board = scene.board;
    const Bitboard enemy = board.colors[1 - board.turn];
    for (Bitboard stacks = board.colors[board.turn]; stacks;) {
        const Square from = pop(stacks);
        const int height = board.height(from), row = row_for(board.turn, from);
        for (Bitboard targets = reach(from, height) & ~enemy; targets;) {
            const Square to = pop(targets);
            const int forward = 64 * (row_for(board.turn, to) - row);
            for (int tokens = 1; tokens <= height; ++tokens)
                moves.push(move(from, to, tokens), forward + tokens);
        }
    }
    // Enclosed on all sides, booming is all that is left.
    if (moves.empty()) moves.push(boom(std::countr_zero(board.colors[board.turn])), 0);
}

std::uint64_t Judge::table_key(const Scene& scene) const {
    const int booms = std::min(scene.booms / 2, 2);
    const int actions = scene.board.actions + search::deepest_ply >= action_limit ? scene.board.actions : 0;
    const auto past = static_cast<std::uint64_t>(actions << 2 | booms);
    return past ? scene.board.key ^ Random(past).next() : scene.board.key;
}

}  // namespace sparring::expendibots
