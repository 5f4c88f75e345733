#include "expendibots/evaluator.hpp"

#include "game/random.hpp"
#include "search/limits.hpp"
#include "search/linear_evaluation.hpp"

namespace sparring::expendibots {

namespace {

using search::OrderedMoves;

int tokens(const Board& board, int color) { return board.tokens(board.colors[color]); }

/// The row of a square from the view of a side, from 0 to 7.
int row_for(int color, Square s) { return color == white ? y_of(s) : 7 - y_of(s); }

/// The order of a BOOM that loses more than it wins: after the noisy moves and killers, before the others.
constexpr int losing_boom_order = search::noisy_order / 2;

/// The change of the ratio of tokens by a BOOM: positive if it improves, 0 for an equal trade. A BOOM that
/// removes all tokens of the opponent counts as an improvement.
int ratio_change(int own, int other, int own_lost, int other_lost) {
    if (other_lost == other) return 1;
    return (own - own_lost) * other - own * (other - other_lost);
}

}  // namespace

SearchState Evaluator::search_state(const Node<Position>& node) {
    int booms = 0;
    const Node<Position>* n = &node;
    for (; n->previous; n = n->previous.get()) booms += is_boom(n->move);
    const Board& start = n->position.board();
    const int missing = 2 * max_tokens - tokens(start, white) - tokens(start, black);
    return {node.position.board(), booms + missing / 4};
}

std::optional<int> Evaluator::decided(const SearchState& search_state) const {
    const Board& board = search_state.board;
    const Bitboard own = board.colors[board.turn], other = board.colors[1 - board.turn];
    if (!own || !other) return own ? search::win_score : other ? -search::win_score : 0;
    if (board.actions >= action_limit) return 0;
    if (const auto value = endgames_ ? endgames_->probe(board) : std::nullopt) {
        const bool in_time = board.actions + std::abs(*value) <= action_limit;
        if (*value == 0 || !in_time) return 0;
        return *value > 0 ? search::win_score - *value : -search::win_score - *value;
    }
    if (stage_ && Features::stage(search_state) != *stage_) {
        const int lead = tokens(board, board.turn) - tokens(board, 1 - board.turn);
        return ((lead > 0) - (lead < 0)) * static_cast<int>(search::win_value) * search::score_unit +
               lead * search::score_unit;
    }
    return {};
}

int Evaluator::evaluate(const SearchState& search_state) const {
    return network_ ? network_->score(search_state.board) : search::score_of(weights_->value(search_state));
}

void Evaluator::noisy_moves(const SearchState& search_state, OrderedMoves& moves) const {
    add_booms(search_state.board, moves, false);
}

void Evaluator::add_booms(const Board& board, OrderedMoves& moves, bool losing) const {
    const Bitboard enemy = board.colors[1 - board.turn], occupied = board.occupied();
    const int own_tokens = tokens(board, board.turn), enemy_tokens = tokens(board, 1 - board.turn);
    // A BOOM without an enemy in its component only loses tokens.
    for (Bitboard stacks = board.colors[board.turn] & surroundings(enemy); stacks;) {
        const Square s = std::countr_zero(stacks);
        const Bitboard gone = component(bit(s), occupied);
        stacks &= ~gone;
        const int lost = board.tokens(gone & ~enemy), won = board.tokens(gone & enemy);
        const int change = ratio_change(own_tokens, enemy_tokens, lost, won);
        const int order = 16 * (won - lost + max_tokens) + row_for(board.turn, s);
        if (change > 0 || (change == 0 && !prune_booms_))
            moves.push(boom(s), search::noisy_order + order);
        else if (losing && !prune_booms_)
            moves.push(boom(s), losing_boom_order + order);
    }
}

void Evaluator::moves(const SearchState& search_state, OrderedMoves& moves) const {
    const Board& board = search_state.board;
    add_booms(board, moves, true);
    const Bitboard enemy = board.colors[1 - board.turn];
    for (Bitboard stacks = board.colors[board.turn]; stacks;) {
        const Square from = pop_lsb(stacks);
        const int height = board.height(from), row = row_for(board.turn, from);
        for (Bitboard targets = reach(from, height) & ~enemy; targets;) {
            const Square to = pop_lsb(targets);
            const int forward = 64 * (row_for(board.turn, to) - row);
            for (int tokens = 1; tokens <= height; ++tokens)
                moves.push(move(from, to, tokens), forward + tokens);
        }
    }
    // Without MOVEs, a BOOM is the only action.
    if (moves.empty()) moves.push(boom(std::countr_zero(board.colors[board.turn])), 0);
}

std::uint64_t Evaluator::table_key(const SearchState& search_state) const {
    const int booms = std::min(search_state.booms / 2, 2);
    const int actions =
        search_state.board.actions + search::max_ply >= action_limit ? search_state.board.actions : 0;
    const auto past = static_cast<std::uint64_t>(actions << 2 | booms);
    return past ? search_state.board.key ^ Random(past).next() : search_state.board.key;
}

}  // namespace sparring::expendibots
