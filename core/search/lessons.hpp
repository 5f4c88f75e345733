// What a search teaches its evaluation: RootStrap and TreeStrap (Veness et al. 2009; the report's
// section 4.1).
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/linear.hpp"
#include "search/searcher.hpp"

namespace sparring::search {

/// Which positions of a search learn from it.
struct Syllabus {
    int depth = 4;
    bool tree = true;         // all inner nodes; else the root alone
    bool full = false;        // of a minimax search; else of alpha-beta, with one-sided bounds
    int least_depth = 2;      // the bottom layers have too little below them to learn from
    double decay = 1.0;       // lambda: a position counts lambda^ply
    bool skip_draws = false;  // positions whose value is exactly 0 teach nothing
};

/// The sum over positions of lambda^d (V - H) phi, by stage and feature; the learning rate is the caller's.
struct Gradient {
    std::vector<double> sums;
    std::size_t positions = 0;   // that were moved
    double squared_error = 0.0;  // of those, weighted as they are
};

/// Keeps the newest bounds of every position that a search finished with.
template <Judging J>
class Notebook {
 public:
    struct Note {
        typename J::Scene scene;
        int ply;
        int score;
        Bound bound;
    };

    Notebook(const J& judge, const Syllabus& syllabus) : judge_(judge), syllabus_(syllabus) {}

    void begin() {
        notes_.clear();
        places_.clear();
    }
    void hear(const typename J::Scene& scene, int ply, int depth, int score, Bound bound) {
        if (!syllabus_.tree && ply > 0) return;
        if (depth < syllabus_.least_depth && ply > 0) return;
        const Note note{scene, ply, score, bound};
        // A position that was searched again, with a wider window or on another way, has one note.
        const auto [place, added] = places_.try_emplace(judge_.table_key(scene), notes_.size());
        if (added)
            notes_.push_back(note);
        else
            notes_[place->second] = note;
    }
    const std::vector<Note>& notes() const { return notes_; }

 private:
    const J& judge_;
    Syllabus syllabus_;
    std::vector<Note> notes_;
    std::unordered_map<std::uint64_t, std::size_t> places_;
};

/// A search passes its findings on to somebody who outlives it.
template <class Hearer>
struct Relay {
    Hearer* hearer;

    void begin() { hearer->begin(); }
    template <class Scene>
    void hear(const Scene& scene, int ply, int depth, int score, Bound bound) {
        hearer->hear(scene, ply, depth, score, bound);
    }
};

/// Delta theta over the learning rate: towards exact values, and towards bounds only where H is beyond them.
template <Judging J>
Gradient gradient(const J& judge, const std::vector<typename Notebook<J>::Note>& notes,
                  const Syllabus& syllabus) {
    using F = typename J::Features;
    Gradient result;
    result.sums.resize(static_cast<std::size_t>(F::stages * F::size));
    std::vector<double> features(F::size);
    for (const auto& note : notes) {
        if (syllabus.skip_draws && note.score == 0) continue;
        const double error = value_of(note.score) - value_of(judge.evaluate(note.scene));
        const bool known = note.bound == Bound::exact || (note.bound == Bound::lower ? error > 0 : error < 0);
        if (!known || error == 0.0) continue;
        const double weight = std::pow(syllabus.decay, note.ply);
        F::describe(note.scene, features);
        double* sums = &result.sums[static_cast<std::size_t>(F::stage(note.scene) * F::size)];
        for (int i = 0; i < F::size; ++i) sums[i] += weight * error * features[i];
        ++result.positions;
        result.squared_error += weight * error * error;
    }
    return result;
}

/// Searches a state to a depth, and what that teaches. The searcher remembers nothing yet, so that every
/// bound is of this search and its weights.
template <class P, Judging J>
std::pair<Found, Gradient> teach(Searcher<P, J>& searcher, const Node<P>& node, const Syllabus& syllabus) {
    Notebook<J> notebook(searcher.judge(), syllabus);
    Limits limits;
    limits.depth = syllabus.depth;
    Style style;
    style.full = syllabus.full;
    style.reduce = false;  // a bound from a shallower search is none
    Found found = searcher.search(node, limits, style, 1, Relay<Notebook<J>>{&notebook});
    return {std::move(found), gradient(searcher.judge(), notebook.notes(), syllabus)};
}

}  // namespace sparring::search
