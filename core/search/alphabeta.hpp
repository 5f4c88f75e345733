// A small alpha-beta search: iterative deepening within a budget of nodes, loud moves beyond the horizon.
//
// It knows no history and keeps no table: it is the opponent for the first evening. A game takes part
// by specialising Judge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "game/move.hpp"
#include "search/judge.hpp"

namespace sparring::search {

struct Scored {
    Move move;
    int score;
};

template <class P>
class AlphaBeta {
 public:
    /// Searches until about `nodes` positions were seen. Root moves within `margin` of the best get
    /// their exact score; for the others the score is only an upper bound.
    AlphaBeta(std::uint64_t nodes, int margin) : budget_(nodes), margin_(margin) {}

    /// The moves with their scores, best first. `moves` must be legal in `root`.
    std::vector<Scored> analyse(const P& root, const MoveList& moves) {
        std::vector<Scored> best;
        for (const Move move : moves) best.push_back({move, 0});
        constexpr int deepest = 40;
        for (int depth = 1; depth <= deepest && seen_ < budget_; ++depth) {
            std::vector<Scored> scores = best;
            if (!search_root(root, depth, scores)) break;
            best = std::move(scores);
            if (!best.empty() && std::abs(best.front().score) > win_score / 2) break;
        }
        return best;
    }

 private:
    using J = Judge<P>;

    bool out_of_budget() const { return seen_ >= budget_ && completed_; }

    bool search_root(const P& root, int depth, std::vector<Scored>& scores) {
        int best = -2 * win_score;
        for (Scored& entry : scores) {
            P next = root;
            next.play(entry.move);
            entry.score = -negamax(next, depth - 1, 1, -2 * win_score, -(best - margin_ - 1));
            if (out_of_budget()) return false;
            best = std::max(best, entry.score);
        }
        std::stable_sort(scores.begin(), scores.end(),
                         [](const Scored& a, const Scored& b) { return a.score > b.score; });
        completed_ = true;
        return true;
    }

    int negamax(const P& position, int depth, int ply, int alpha, int beta) {
        ++seen_;
        if (out_of_budget()) return 0;
        MoveList list;
        position.moves(list);
        // A win is worth more the sooner it comes.
        if (list.empty()) return nearer(J::stuck(position), ply);

        int best = -2 * win_score;
        if (depth <= 0) {
            best = J::evaluate(position);
            if (best >= beta || ply >= deepest_line) return best;
            alpha = std::max(alpha, best);
            list.filter([&](Move move) { return J::urgency(position, move) > 0; });
        }
        sort_by_urgency(position, list);
        for (const Move move : list) {
            P next = position;
            next.play(move);
            best = std::max(best, -negamax(next, depth - 1, ply + 1, -beta, -alpha));
            if (out_of_budget()) return 0;
            alpha = std::max(alpha, best);
            if (alpha >= beta) break;
        }
        return best;
    }

    static int nearer(int score, int ply) {
        if (score > win_score / 2) return score - ply;
        return score < -win_score / 2 ? score + ply : score;
    }

    static void sort_by_urgency(const P& position, MoveList& list) {
        std::array<int, MoveList::capacity> urgencies;
        for (std::size_t i = 0; i < list.size(); ++i) urgencies[i] = J::urgency(position, list[i]);
        // Insertion: most moves are quiet and stay where they are.
        for (std::size_t i = 1; i < list.size(); ++i) {
            for (std::size_t j = i; j > 0 && urgencies[j - 1] < urgencies[j]; --j) {
                std::swap(urgencies[j - 1], urgencies[j]);
                std::swap(list.begin()[j - 1], list.begin()[j]);
            }
        }
    }

    static constexpr int deepest_line = 64;

    std::uint64_t budget_;
    std::uint64_t seen_ = 0;
    int margin_;
    bool completed_ = false;  // the first iteration is always finished
};

}  // namespace sparring::search
