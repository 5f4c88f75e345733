// Alpha-beta: principal-variation search with a transposition table, killer moves, history heuristic, late
// move reductions and quiescence search.
//
// AlphaBeta is the search of one thread. The Evaluator knows the game; searcher.hpp has iterative deepening
// and threads. Reconnaissance blind chess has a search of its own (rbc/board_search.hpp says why).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "search/evaluator.hpp"
#include "search/limits.hpp"
#include "search/transposition_table.hpp"

namespace sparring::search {

struct ScoredMove {
    Move move;
    int score;
};

/// A Recorder that ignores the nodes. A Recorder is called with each finished inner node of a search.
struct NullRecorder {
    void begin() {}
    template <class SearchState>
    void record_node(const SearchState&, int /*ply*/, int /*depth*/, int /*score*/, Bound) {}
};

struct SearchOptions {
    int margin = 0;        // root moves within the margin of the best get exact scores; 0: only the best
    bool minimax = false;  // no pruning: every score is exact
    bool reduce = true;    // late move reductions
    bool use_old_entries = true;  // entries of earlier searches may cause cutoffs; else they only order moves
};

template <Evaluator E, class Recorder = NullRecorder>
class AlphaBeta {
 public:
    using SearchState = typename E::SearchState;

    AlphaBeta(const E& evaluator, TranspositionTable& table, SearchStopper& stopper,
              const PositionHistory& played, SearchOptions options, Recorder& recorder)
        : evaluator_(evaluator),
          table_(table),
          stopper_(stopper),
          played_(played),
          options_(options),
          recorder_(recorder),
          history_(2 * slots) {}

    /// Searches the root to a depth. `moves` come in the order to try and are sorted by score afterwards;
    /// scores outside the margin are upper bounds. Returns false if the search was stopped; `moves` is then
    /// unchanged.
    bool search_root(const SearchState& root, int depth, std::vector<ScoredMove>& moves) {
        std::vector<ScoredMove> scores = moves;
        recorder_.begin();
        int best = -infinity;
        path_[0] = root.key();
        first_repeatable_ply_[0] = 0;
        for (ScoredMove& root_move : scores) {
            const int floor = options_.margin > 0 ? std::max(best - options_.margin - 1, -infinity) : best;
            SearchState next = root;
            step(next, root_move.move, 1);
            if (best > -infinity && !options_.minimax) {
                root_move.score = -search(next, depth - 1, 1, -floor - 1, -floor);
                if (root_move.score > floor && !stopped_)
                    root_move.score = -search(next, depth - 1, 1, -infinity, -floor);
            } else {
                root_move.score = -search(next, depth - 1, 1, -infinity, infinity);
            }
            if (stopped_) return false;
            if (root_move.score > best) {
                best = root_move.score;
                update_pv(0, root_move.move);
            }
        }
        recorder_.record_node(root, 0, depth, best, Bound::exact);
        std::stable_sort(scores.begin(), scores.end(),
                         [](const ScoredMove& a, const ScoredMove& b) { return a.score > b.score; });
        moves = std::move(scores);
        may_stop_ = true;
        return true;
    }

    /// The principal variation of the last finished iteration, quiescence included.
    std::span<const Move> pv() const { return {pv_[0].data(), pv_length_[0]}; }
    std::uint64_t nodes() const { return nodes_; }

 private:
    static constexpr int infinity = 2 * win_score;

    int search(const SearchState& state, int depth, int ply, int alpha, int beta) {
        if (depth <= 0 || ply >= max_ply) return quiesce(state, ply, alpha, beta);
        if (const auto score = enter(state, ply)) return *score;
        const std::uint64_t key = evaluator_.table_key(state);
        const Entry tt_entry = table_.probe(key);
        if (beta - alpha == 1 && causes_cutoff(tt_entry, depth, ply, alpha, beta))
            return score_from_tt(tt_entry.score, ply);

        OrderedMoves moves;
        evaluator_.moves(state, moves);
        order(moves, tt_entry, ply);
        const int floor = alpha;
        int best = -infinity;
        Move best_move = 0;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const auto [move, rank] = moves.pick(i);
            SearchState next = state;
            step(next, move, ply + 1);
            const int score = search_move(next, depth, ply, alpha, beta, i, rank);
            if (stopped_) return 0;
            if (score >= beta) {
                lowest_repetition_ply_[ply] = lowest_repetition_ply_[ply + 1];  // only the refutation matters
            } else {
                lowest_repetition_ply_[ply] =
                    std::min(lowest_repetition_ply_[ply], lowest_repetition_ply_[ply + 1]);
            }
            if (score <= best) continue;
            best = score;
            best_move = move;
            if (score <= alpha) continue;
            alpha = score;
            update_pv(ply, move);
            if (alpha >= beta) {
                if (rank < noisy_order) update_quiet_stats(move, depth, ply);
                break;
            }
        }
        const Bound bound = best >= beta ? Bound::lower : best > floor ? Bound::exact : Bound::upper;
        store(key, {best_move, bound, depth, best}, ply);
        recorder_.record_node(state, ply, depth, best, bound);
        return best;
    }

    /// The score of a move. Moves after the first get a null-window search, late quiet moves at reduced
    /// depth; those that beat alpha are searched again.
    int search_move(const SearchState& next, int depth, int ply, int alpha, int beta, std::size_t number,
                    int rank) {
        if (options_.minimax) return -search(next, depth - 1, ply + 1, -infinity, infinity);
        if (number == 0) return -search(next, depth - 1, ply + 1, -beta, -alpha);
        const bool late = options_.reduce && depth >= 3 && number >= 4 && rank < killer_order;
        const int reduction = late ? (number >= 16 ? 2 : 1) : 0;
        int score = -search(next, depth - 1 - reduction, ply + 1, -alpha - 1, -alpha);
        if (reduction && score > alpha && !stopped_)
            score = -search(next, depth - 1, ply + 1, -alpha - 1, -alpha);
        if (score > alpha && score < beta && !stopped_)
            score = -search(next, depth - 1, ply + 1, -beta, -alpha);
        return score;
    }

    int quiesce(const SearchState& state, int ply, int alpha, int beta) {
        if (const auto score = enter(state, ply)) return *score;
        const std::uint64_t key = evaluator_.table_key(state);
        const Entry tt_entry = table_.probe(key);
        if (beta - alpha == 1 && causes_cutoff(tt_entry, 0, ply, alpha, beta))
            return score_from_tt(tt_entry.score, ply);

        const int floor = alpha;
        int best = evaluator_.evaluate(state);
        Move best_move = 0;
        alpha = std::max(alpha, best);
        if (alpha < beta && ply < max_ply) {
            OrderedMoves moves;
            evaluator_.noisy_moves(state, moves);
            for (std::size_t i = 0; i < moves.size() && alpha < beta; ++i) {
                const Move move = moves.pick(i).move;
                SearchState next = state;
                step(next, move, ply + 1);
                const int score = -quiesce(next, ply + 1, -beta, -alpha);
                if (stopped_) return 0;
                if (score <= best) continue;
                best = score;
                best_move = move;
                if (score <= alpha) continue;
                alpha = score;
                update_pv(ply, move);
            }
        }
        const Bound bound = best >= beta ? Bound::lower : best > floor ? Bound::exact : Bound::upper;
        if (tt_entry.bound == Bound::none || tt_entry.depth == 0)
            store(key, {best_move, bound, 0, best}, ply);
        return best;
    }

    /// Plays a move and adds the position to the path.
    void step(SearchState& state, Move move, int ply) {
        state.play(move);
        table_.prefetch(evaluator_.table_key(state));
        path_[ply] = state.key();
        first_repeatable_ply_[ply] = E::reversible(move) ? first_repeatable_ply_[ply - 1] : ply;
    }

    /// Counts a node. Returns a score if nothing is left to search: the search is stopped, or the game is
    /// over.
    std::optional<int> enter(const SearchState& state, int ply) {
        pv_length_[ply] = 0;
        lowest_repetition_ply_[ply] = max_ply;
        ++nodes_;
        if (stopper_.should_stop(nodes_) && may_stop_) {
            stopped_ = true;
            return 0;
        }
        if (const auto score = evaluator_.decided(state)) return adjust_mate_score(*score, ply);
        if (E::repetitions_to_draw > 0 && repeated(ply)) return 0;
        return {};
    }

    /// Whether the position is a draw by repetition. One repetition within the search path counts as a draw;
    /// positions before the root count by the rules.
    bool repeated(int ply) {
        for (int back = ply - 4; back >= first_repeatable_ply_[ply]; back -= 2) {
            if (path_[back] == path_[ply]) {
                lowest_repetition_ply_[ply] = back;
                return true;
            }
        }
        return first_repeatable_ply_[ply] == 0 && played_.visits(path_[ply]) + 1 >= E::repetitions_to_draw;
    }

    /// Stores a score, unless it depends on a repetition of a position above this node: it is then true of
    /// this path only.
    void store(std::uint64_t key, Entry entry, int ply) {
        if (lowest_repetition_ply_[ply] < ply) return;
        if (std::abs(entry.score) > decided_score) entry.score += entry.score > 0 ? ply : -ply;
        table_.store(key, entry);
    }

    bool causes_cutoff(const Entry& tt_entry, int depth, int ply, int alpha, int beta) const {
        if (tt_entry.bound == Bound::none || tt_entry.depth < depth ||
            !(tt_entry.current || options_.use_old_entries))
            return false;
        const int score = score_from_tt(tt_entry.score, ply);
        return tt_entry.bound == Bound::exact ||
               (tt_entry.bound == Bound::lower ? score >= beta : score <= alpha);
    }

    /// Decided scores count plies to the end: from the root in the search, from the position in the table.
    static int score_from_tt(int score, int ply) { return adjust_mate_score(score, ply); }
    static int adjust_mate_score(int score, int ply) {
        if (std::abs(score) <= decided_score) return score;
        return score > 0 ? score - ply : score + ply;
    }

    void order(OrderedMoves& moves, const Entry& tt_entry, int ply) {
        const int* history = &history_[ply % 2 ? slots : 0];
        for (auto& [move, rank] : moves) {
            if (tt_entry.bound != Bound::none && move == tt_entry.move) {
                rank = table_order;
            } else if (rank < noisy_order) {
                const auto& killers = killers_[ply];
                rank = move == killers[0]   ? killer_order + 1
                       : move == killers[1] ? killer_order
                                            : rank + history[move % slots];
            }
        }
    }

    /// Updates killers and history after a quiet move caused a cutoff.
    void update_quiet_stats(Move move, int depth, int ply) {
        auto& killers = killers_[ply];
        if (killers[0] != move) killers = {move, killers[0]};
        int& entry = history_[(ply % 2 ? slots : 0) + move % slots];
        const int bonus = std::min(depth * depth * 16, 2048);
        entry += bonus - entry * bonus / history_limit;
    }

    void update_pv(int ply, Move move) {
        auto& pv = pv_[ply];
        pv[0] = move;
        std::copy_n(pv_[ply + 1].begin(), pv_length_[ply + 1], pv.begin() + 1);
        pv_length_[ply] = pv_length_[ply + 1] + 1;
    }

    static constexpr int table_order = 1 << 30, killer_order = noisy_order - 4, history_limit = 1 << 14;
    static constexpr int plies = max_ply + 2;
    static constexpr std::size_t slots = E::history_slots;

    const E evaluator_;
    TranspositionTable& table_;
    SearchStopper& stopper_;
    const PositionHistory played_;
    const SearchOptions options_;
    Recorder& recorder_;

    std::uint64_t nodes_ = 0;
    bool may_stop_ = false;  // false in the first iteration, which is always finished
    bool stopped_ = false;
    std::vector<int> history_;  // history heuristic, by parity of the ply and move
    std::array<std::array<Move, 2>, plies> killers_{};
    std::array<std::uint64_t, plies> path_{};
    std::array<int, plies> first_repeatable_ply_{};   // earliest ply of the path whose position can recur
    std::array<int, plies> lowest_repetition_ply_{};  // lowest ply that the score depends on by repetition
    std::array<std::array<Move, plies>, plies> pv_{};
    std::array<std::size_t, plies> pv_length_{};
};

}  // namespace sparring::search
