// Alpha-beta: principal-variation search with a transposition table, killers, history and quiescence.
//
// One thread's work. What it knows of a game is its judge's; `search/searcher.hpp` deepens it and runs
// several.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "search/effort.hpp"
#include "search/judge.hpp"
#include "search/transpositions.hpp"

namespace sparring::search {

struct Scored {
    Move move;
    int score;
};

/// Nobody who would hear what a search finds out about inner nodes.
struct Silence {
    void begin() {}
    template <class Scene>
    void hear(const Scene&, int /*ply*/, int /*depth*/, int /*score*/, Bound) {}
};

struct Style {
    int margin = 0;         // root moves within it of the best get exact scores; 0: the best move alone
    bool full = false;      // no bounds at all: plain minimax, every score exact
    bool reduce = true;     // late quiet moves are searched less deep first
    bool trust_old = true;  // entries of earlier searches may decide, not only order
};

template <Judging J, class Listener = Silence>
class AlphaBeta {
 public:
    using Scene = typename J::Scene;

    AlphaBeta(const J& judge, Transpositions& table, Effort& effort, const Past& past, Style style,
              Listener listener = {})
        : judge_(judge),
          table_(table),
          effort_(effort),
          past_(past),
          style_(style),
          listener_(listener),
          history_(2 * slots) {}

    /// One iteration over the root's moves, which come in the order to try and leave sorted by score. Scores
    /// of moves beyond the margin are upper bounds. False when the effort was spent; the moves are then as
    /// before.
    bool search_root(const Scene& root, int depth, std::vector<Scored>& moves) {
        std::vector<Scored> scores = moves;
        listener_.begin();
        int best = -infinity;
        path_[0] = root.key();
        fresh_from_[0] = 0;
        for (Scored& each : scores) {
            const int floor = style_.margin > 0 ? std::max(best - style_.margin - 1, -infinity) : best;
            Scene next = root;
            step(next, each.move, 1);
            if (best > -infinity && !style_.full) {
                each.score = -search(next, depth - 1, 1, -floor - 1, -floor);
                if (each.score > floor && !halted_)
                    each.score = -search(next, depth - 1, 1, -infinity, -floor);
            } else {
                each.score = -search(next, depth - 1, 1, -infinity, infinity);
            }
            if (halted_) return false;
            if (each.score > best) {
                best = each.score;
                extend_line(0, each.move);
            }
        }
        listener_.hear(root, 0, depth, best, Bound::exact);
        std::stable_sort(scores.begin(), scores.end(),
                         [](const Scored& a, const Scored& b) { return a.score > b.score; });
        moves = std::move(scores);
        may_halt_ = true;
        return true;
    }

    /// The principal variation of the last iteration that was finished, to its quiet end.
    std::span<const Move> line() const { return {lines_[0].data(), lengths_[0]}; }
    std::uint64_t seen() const { return seen_; }

 private:
    static constexpr int infinity = 2 * win_score;

    int search(const Scene& scene, int depth, int ply, int alpha, int beta) {
        if (depth <= 0 || ply >= deepest_ply) return quiesce(scene, ply, alpha, beta);
        if (const auto score = enter(scene, ply)) return *score;
        const std::uint64_t key = judge_.table_key(scene);
        const Entry known = table_.find(key);
        if (beta - alpha == 1 && decides(known, depth, ply, alpha, beta)) return from_table(known.score, ply);

        OrderedMoves moves;
        judge_.moves(scene, moves);
        order(moves, known, ply);
        const int floor = alpha;
        int best = -infinity;
        Move best_move = 0;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const auto [move, rank] = moves.pick(i);
            Scene next = scene;
            step(next, move, ply + 1);
            const int score = follow(next, depth, ply, alpha, beta, i, rank);
            if (halted_) return 0;
            if (score >= beta) {
                oldest_[ply] = oldest_[ply + 1];  // one refutation is enough
            } else {
                oldest_[ply] = std::min(oldest_[ply], oldest_[ply + 1]);
            }
            if (score <= best) continue;
            best = score;
            best_move = move;
            if (score <= alpha) continue;
            alpha = score;
            extend_line(ply, move);
            if (alpha >= beta) {
                if (rank < loud_order) praise(move, depth, ply);
                break;
            }
        }
        const Bound bound = best >= beta ? Bound::lower : best > floor ? Bound::exact : Bound::upper;
        keep(key, {best_move, bound, depth, best}, ply);
        listener_.hear(scene, ply, depth, best, bound);
        return best;
    }

    /// A move's score; late ones are first asked whether they beat alpha at all, and at less depth.
    int follow(const Scene& next, int depth, int ply, int alpha, int beta, std::size_t number, int rank) {
        if (style_.full) return -search(next, depth - 1, ply + 1, -infinity, infinity);
        if (number == 0) return -search(next, depth - 1, ply + 1, -beta, -alpha);
        const bool late = style_.reduce && depth >= 3 && number >= 4 && rank < killer_order;
        const int reduction = late ? (number >= 16 ? 2 : 1) : 0;
        int score = -search(next, depth - 1 - reduction, ply + 1, -alpha - 1, -alpha);
        if (reduction && score > alpha && !halted_)
            score = -search(next, depth - 1, ply + 1, -alpha - 1, -alpha);
        if (score > alpha && score < beta && !halted_)
            score = -search(next, depth - 1, ply + 1, -beta, -alpha);
        return score;
    }

    int quiesce(const Scene& scene, int ply, int alpha, int beta) {
        if (const auto score = enter(scene, ply)) return *score;
        const std::uint64_t key = judge_.table_key(scene);
        const Entry known = table_.find(key);
        if (beta - alpha == 1 && decides(known, 0, ply, alpha, beta)) return from_table(known.score, ply);

        const int floor = alpha;
        int best = judge_.evaluate(scene);
        Move best_move = 0;
        alpha = std::max(alpha, best);
        if (alpha < beta && ply < deepest_ply) {
            OrderedMoves moves;
            judge_.loud(scene, moves);
            for (std::size_t i = 0; i < moves.size() && alpha < beta; ++i) {
                const Move move = moves.pick(i).move;
                Scene next = scene;
                step(next, move, ply + 1);
                const int score = -quiesce(next, ply + 1, -beta, -alpha);
                if (halted_) return 0;
                if (score <= best) continue;
                best = score;
                best_move = move;
                if (score <= alpha) continue;
                alpha = score;
                extend_line(ply, move);
            }
        }
        const Bound bound = best >= beta ? Bound::lower : best > floor ? Bound::exact : Bound::upper;
        if (known.bound == Bound::none || known.depth == 0) keep(key, {best_move, bound, 0, best}, ply);
        return best;
    }

    /// Plays a move and remembers where it leads.
    void step(Scene& scene, Move move, int ply) {
        scene.play(move);
        table_.expect(judge_.table_key(scene));
        path_[ply] = scene.key();
        fresh_from_[ply] = J::reversible(move) ? fresh_from_[ply - 1] : ply;
    }

    /// Counts a position; its score where there is nothing to search: the effort is spent, or the game over.
    std::optional<int> enter(const Scene& scene, int ply) {
        lengths_[ply] = 0;
        oldest_[ply] = deepest_ply;
        ++seen_;
        if (effort_.spent(seen_) && may_halt_) {
            halted_ = true;
            return 0;
        }
        if (const auto score = judge_.decided(scene)) return nearer(*score, ply);
        if (J::visits_to_draw > 0 && repeated(ply)) return 0;
        return {};
    }

    /// A position that came up before in this line is a draw at once: whoever wanted to could do it again.
    /// One of the game before the root counts by the rules.
    bool repeated(int ply) {
        for (int back = ply - 4; back >= fresh_from_[ply]; back -= 2) {
            if (path_[back] == path_[ply]) {
                oldest_[ply] = back;
                return true;
            }
        }
        return fresh_from_[ply] == 0 && past_.visits(path_[ply]) + 1 >= J::visits_to_draw;
    }

    /// A score that follows from a position higher up in the line is true of this line alone, so the table
    /// does not get it.
    void keep(std::uint64_t key, Entry entry, int ply) {
        if (oldest_[ply] < ply) return;
        if (std::abs(entry.score) > decided_score) entry.score += entry.score > 0 ? ply : -ply;
        table_.keep(key, entry);
    }

    bool decides(const Entry& known, int depth, int ply, int alpha, int beta) const {
        if (known.bound == Bound::none || known.depth < depth || !(known.current || style_.trust_old))
            return false;
        const int score = from_table(known.score, ply);
        return known.bound == Bound::exact || (known.bound == Bound::lower ? score >= beta : score <= alpha);
    }

    /// A win is worth more the sooner it comes: in the table counted from its position, else from the root.
    static int from_table(int score, int ply) { return nearer(score, ply); }
    static int nearer(int score, int ply) {
        if (std::abs(score) <= decided_score) return score;
        return score > 0 ? score - ply : score + ply;
    }

    void order(OrderedMoves& moves, const Entry& known, int ply) {
        const int* history = &history_[ply % 2 ? slots : 0];
        for (auto& [move, rank] : moves) {
            if (known.bound != Bound::none && move == known.move) {
                rank = table_order;
            } else if (rank < loud_order) {
                const auto& killers = killers_[ply];
                rank = move == killers[0]   ? killer_order + 1
                       : move == killers[1] ? killer_order
                                            : rank + history[move % slots];
            }
        }
    }

    /// A quiet move that refuted its position is tried early elsewhere.
    void praise(Move move, int depth, int ply) {
        auto& killers = killers_[ply];
        if (killers[0] != move) killers = {move, killers[0]};
        int& entry = history_[(ply % 2 ? slots : 0) + move % slots];
        const int bonus = std::min(depth * depth * 16, 2048);
        entry += bonus - entry * bonus / history_limit;
    }

    void extend_line(int ply, Move move) {
        auto& line = lines_[ply];
        line[0] = move;
        std::copy_n(lines_[ply + 1].begin(), lengths_[ply + 1], line.begin() + 1);
        lengths_[ply] = lengths_[ply + 1] + 1;
    }

    static constexpr int table_order = 1 << 30, killer_order = loud_order - 4, history_limit = 1 << 14;
    static constexpr int plies = deepest_ply + 2;
    static constexpr std::size_t slots = J::history_slots;

    const J judge_;
    Transpositions& table_;
    Effort& effort_;
    const Past past_;
    const Style style_;
    Listener listener_;

    std::uint64_t seen_ = 0;
    bool may_halt_ = false;  // the first iteration is always finished
    bool halted_ = false;
    std::vector<int> history_;  // by side (the root's or the other's) and move
    std::array<std::array<Move, 2>, plies> killers_{};
    std::array<std::uint64_t, plies> path_{};
    std::array<int, plies> fresh_from_{};  // the first ply whose position can still come again
    std::array<int, plies> oldest_{};      // the highest ply of the line on which a score depends
    std::array<std::array<Move, plies>, plies> lines_{};
    std::array<std::size_t, plies> lengths_{};
};

}  // namespace sparring::search
