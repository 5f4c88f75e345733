// Alpha-beta search with a material evaluation: a small opponent for chess-like games.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "game/random.hpp"
#include "search/searcher.hpp"

namespace sparring::search {

// clang-format off
/// The evaluation of a game with positions P. A specialisation has
///
///   static int evaluate(const P&);          static evaluation, centipawns for the side to move
///   static int no_moves_score(const P&);    score of a position without moves
///   static int mvv_lva(const P&, Move);     0 for a quiet move; others are searched in quiescence, highest first
///
/// and, for a game whose players may claim draws,
///
///   static bool claims_draws(const P&);     whether claimable draws end the game
///   static int reversible_plies(const P&);  plies since the last capture or pawn move
// clang-format on
template <class P>
struct MaterialRules;

/// An Evaluator by MaterialRules. If `claims`, 100 reversible plies and the third repetition are draws; else
/// the search knows no draws by rule.
template <class P, bool claims = false>
struct MaterialEvaluator {
    using SearchState = P;
    static constexpr int repetitions_to_draw = claims ? 3 : 0;
    static constexpr int history_slots = 1 << 12;
    static constexpr int plies_to_draw = 100;

    std::uint64_t table_key(const P& position) const {
        if constexpr (claims) {
            // Close to the limit, the score depends on the number of reversible plies.
            const int plies = MaterialRules<P>::reversible_plies(position);
            if (plies + max_ply / 2 >= plies_to_draw)
                return position.key() ^ Random(static_cast<std::uint64_t>(plies)).next();
        }
        return position.key();
    }
    std::optional<int> decided(const P& position) const {
        MoveList list;
        position.moves(list);
        if (list.empty()) return MaterialRules<P>::no_moves_score(position);
        if constexpr (claims) {
            if (MaterialRules<P>::reversible_plies(position) >= plies_to_draw) return 0;
        }
        return {};
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

/// The search of `material_search` with one of the two evaluators.
template <class E, class P>
std::vector<ScoredMove> material_search_with(const P& root, const PositionHistory& history,
                                             const MoveList& moves, std::uint64_t nodes, int margin) {
    const std::atomic<bool> never_stopped{false};
    TranspositionTable table(std::clamp<std::uint64_t>(16 * nodes, 1 << 12, 1 << 24));
    Limits limits;
    limits.nodes = nodes;
    SearchStopper stopper(limits, never_stopped);
    NullRecorder recorder;
    AlphaBeta<E> search({}, table, stopper, history, {.margin = margin}, recorder);
    std::vector<ScoredMove> scores;
    for (const Move move : moves) scores.push_back({move, 0});
    iterative_deepening(search, root, limits.depth, scores);
    return scores;
}

/// Scores of `moves`, which are legal in the newest position of the line, best first, by iterative deepening
/// over about `nodes` positions. Scores within `margin` of the best are exact, others are upper bounds.
template <class P>
std::vector<ScoredMove> material_search(const Node<P>& root, const MoveList& moves, std::uint64_t nodes,
                                        int margin) {
    if constexpr (requires { MaterialRules<P>::claims_draws(root.position); }) {
        if (MaterialRules<P>::claims_draws(root.position)) {
            PositionHistory history;
            const Node<P>* earlier = root.previous.get();
            for (int back = MaterialRules<P>::reversible_plies(root.position); earlier && back > 0; --back) {
                history.add(earlier->position.key());
                earlier = earlier->previous.get();
            }
            return material_search_with<MaterialEvaluator<P, true>>(root.position, history, moves, nodes,
                                                                    margin);
        }
    }
    return material_search_with<MaterialEvaluator<P>>(root.position, {}, moves, nodes, margin);
}

}  // namespace sparring::search
