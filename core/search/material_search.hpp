// The small search of games in which pieces are counted: the opponent for the first evening.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "search/searcher.hpp"

namespace sparring::search {

/// The knowledge of a game in which pieces are counted. A specialisation has
///   static int evaluate(const P&)        hundredths of the smallest piece, without looking ahead;
///   static int stuck(const P&)           the score of a position without moves;
///   static int urgency(const P&, Move)   0 for a quiet move; loud ones (captures) are searched
///                                        beyond the horizon, the most urgent first.
template <class P>
struct MaterialRules;

/// The judge that knows no more than Pieces does, and no past.
template <class P>
struct MaterialEvaluator {
    using SearchState = P;
    static constexpr int repetitions_to_draw = 0;
    static constexpr int history_slots = 1 << 12;

    std::uint64_t table_key(const P& position) const { return position.key(); }
    std::optional<int> decided(const P& position) const {
        MoveList list;
        position.moves(list);
        return list.empty() ? std::optional(MaterialRules<P>::no_moves_score(position)) : std::nullopt;
    }
    int evaluate(const P& position) const { return MaterialRules<P>::evaluate(position); }
    void moves(const P& position, OrderedMoves& moves) const { order(position, moves, false); }
    void noisy_moves(const P& position, OrderedMoves& moves) const { order(position, moves, true); }
    static bool reversible(Move) { return true; }

 private:
    static void order(const P& position, OrderedMoves& moves, bool only_noisy) {
        MoveList list;
        position.moves(list);
        for (const Move move : list) {
            const int mvv_lva = MaterialRules<P>::mvv_lva(position, move);
            if (mvv_lva > 0)
                moves.push(move, noisy_order + mvv_lva);
            else if (!only_noisy)
                moves.push(move, 0);
        }
    }
};

/// The moves with their scores, best first, by a search of about `nodes` positions. Moves within `margin` of
/// the best get their exact score. `moves` must be legal in `root`.
template <class P>
std::vector<ScoredMove> material_search(const P& root, const MoveList& moves, std::uint64_t nodes,
                                        int margin) {
    const std::atomic<bool> never_stopped{false};
    TranspositionTable table(std::clamp<std::uint64_t>(16 * nodes, 1 << 12, 1 << 24));
    Limits limits;
    limits.nodes = nodes;
    SearchStopper stopper(limits, never_stopped);
    AlphaBeta<MaterialEvaluator<P>> search({}, table, stopper, {}, {.margin = margin});
    std::vector<ScoredMove> scores;
    for (const Move move : moves) scores.push_back({move, 0});
    iterative_deepening(search, root, limits.depth, scores);
    return scores;
}

}  // namespace sparring::search
