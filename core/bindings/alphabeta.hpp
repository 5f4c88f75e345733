// The class <Game>Search: alpha-beta with a linear evaluation, and TreeStrap.
#pragma once

#include <nanobind/stl/optional.h>

#include <cmath>
#include <mutex>
#include <optional>
#include <span>

#include "bindings/policy.hpp"
#include "bindings/state.hpp"
#include "search/searcher.hpp"
#include "search/treestrap.hpp"

namespace sparring::bindings {

using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The result of a search, in the units of the evaluation.
struct Analysis {
    search::SearchResult result;

    const search::ScoredMove& best() const { return result.moves.front(); }
    /// Plies to the end of a decided game.
    std::optional<int> plies_to_end() const {
        const int score = std::abs(best().score);
        if (score <= search::decided_score) return {};
        return search::win_score - score;
    }
};

/// Whether Python has a signal to handle, such as Ctrl-C. It is then raised by `raise_pending`.
inline bool signal_pending() {
    const nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
}

inline void raise_pending() {
    if (PyErr_Occurred()) throw nb::python_error();
}

/// A Searcher behind a lock. A thread that waits for the lock does not hold the interpreter's. `stop` may be
/// called from any thread.
template <GamePosition P, search::Evaluator J>
class LockedSearcher {
 public:
    using F = typename J::Features;

    LockedSearcher(const Weights& weights, std::size_t megabytes)
        : searcher_(evaluator(weights), megabytes << 20) {}

    void set_weights(const Weights& weights) {
        update_evaluator([other = evaluator(weights)](J& evaluator) {
            if constexpr (requires { evaluator.set_weights(other); })
                evaluator.set_weights(other);
            else
                evaluator = other;
        });
    }
    /// Replaces the evaluator by a copy that `change` has modified.
    template <class Change>
    void update_evaluator(Change change) {
        locked([&] {
            J evaluator = searcher_.evaluator();
            change(evaluator);
            searcher_.set_evaluator(std::move(evaluator));
        });
    }
    void stop() { searcher_.stop(); }
    void clear() {
        locked([&] { searcher_.clear(); });
    }
    Analysis analyse(const State<P>& state, const search::Limits& limits,
                     const search::SearchOptions& options, int threads) {
        check_goes_on(state);
        Analysis analysis =
            locked([&] { return Analysis{searcher_.search(state.node(), limits, options, threads)}; });
        raise_pending();
        return analysis;
    }
    std::pair<Analysis, search::Gradient> treestrap(const State<P>& state,
                                                    const search::TreeStrapConfig& config, bool staged) {
        check_goes_on(state);
        auto result = locked([&]() -> std::pair<Analysis, search::Gradient> {
            const J plain = searcher_.evaluator();
            searcher_.set_evaluator(staged ? with_terminal_stage(plain, state) : plain);
            auto [analysis, gradient] = search::treestrap(searcher_, state.node(), config, signal_pending);
            if (staged) searcher_.set_evaluator(plain);
            return {{std::move(analysis)}, std::move(gradient)};
        });
        raise_pending();
        return result;
    }
    std::vector<int> candidate_moves(const State<P>& state) {
        check_goes_on(state);
        search::OrderedMoves moves;
        locked([&] { searcher_.evaluator().moves(J::search_state(state.node()), moves); });
        std::vector<int> result;
        for (const auto& [move, order] : moves) result.push_back(move);
        std::sort(result.begin(), result.end());
        return result;
    }
    double evaluate(const State<P>& state) {
        return locked(
            [&] { return search::value_of(searcher_.evaluator().evaluate(J::search_state(state.node()))); });
    }

 private:
    /// Runs `work` while no other thread uses the searcher.
    template <class Work>
    auto locked(Work work) {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(mutex_);
        return work();
    }

    static J evaluator(const Weights& weights) {
        if (weights.shape(0) != F::stages || weights.shape(1) != F::size) {
            throw nb::value_error(("weights are " + std::to_string(F::stages) + " stages of " +
                                   std::to_string(F::size) + " features, not " +
                                   std::to_string(weights.shape(0)) + " of " +
                                   std::to_string(weights.shape(1)))
                                      .c_str());
        }
        const std::span<const double> plain(weights.data(), weights.size());
        for (const double weight : plain) {
            if (!std::isfinite(weight)) throw nb::value_error("weights must be finite");
        }
        return J(plain);
    }
    static J with_terminal_stage(J evaluator, const State<P>& state) {
        if constexpr (requires { typename J::Stage; }) {
            evaluator.set_terminal_stage(
                static_cast<typename J::Stage>(F::stage(J::search_state(state.node()))));
        }
        return evaluator;
    }
    static void check_goes_on(const State<P>& state) {
        if (state.outcome().over()) throw nb::value_error("nothing to search: the game is over");
    }

    search::Searcher<P, J> searcher_;
    std::mutex mutex_;
};

/// The limits of a search. Throws ValueError if there is none.
inline search::Limits limits_of(std::optional<int> depth, std::optional<std::uint64_t> nodes,
                                std::optional<double> seconds) {
    if (!depth && !nodes && !seconds) throw nb::value_error("a search needs a depth, nodes or seconds");
    search::Limits limits;
    limits.interrupted = signal_pending;
    if (depth) {
        if (*depth < 1) throw nb::value_error("depth must be at least 1");
        limits.depth = std::min(*depth, limits.depth);
    }
    if (nodes) limits.nodes = *nodes;
    if (seconds) limits.seconds = *seconds;
    return limits;
}

template <GamePosition P, search::Evaluator J>
nb::class_<LockedSearcher<P, J>> bind_searcher(nb::module_& m, const char* name) {
    using S = LockedSearcher<P, J>;
    using F = typename J::Features;
    return nb::class_<S>(
               m, name,
               "Alpha-beta search with an evaluation that is linear in features of the position.\n\nValues "
               "are for the side to move; 100 is a win and -100 a loss. The transposition table is kept "
               "between searches. One search runs at a time; other threads wait.")
        .def(nb::init<const Weights&, std::size_t>(), nb::arg("weights"), nb::arg("megabytes") = 16,
             "`weights` float64 [stages, features]; `megabytes` is the size of the transposition table. "
             "Raises ValueError.")
        .def_static("feature_names", &F::names, "The names of the features, the columns of the weights.")
        .def_static("stage_names", &F::stage_names,
                    "The names of the stages of the game, the rows of the weights.")
        .def_static(
            "extract_features",
            [](const State<P>& state) {
                const auto search_state = J::search_state(state.node());
                const Zeros<double> features(F::size);
                F::extract_features(search_state, {features.data(), static_cast<std::size_t>(F::size)});
                return nb::make_tuple(F::stage(search_state),
                                      features.array(features.data(), {static_cast<std::size_t>(F::size)}));
            },
            nb::arg("state"),
            nb::sig("def extract_features(state: object) -> tuple[int, numpy.typing.NDArray[numpy.float64]]"),
            "The stage of a state, an index of `stage_names`, and its features for the side "
            "to move, float64 [features].")
        .def("set_weights", &S::set_weights, nb::arg("weights"),
             "Replaces the weights, float64 [stages, features], and clears the table. Raises ValueError.")
        .def("evaluate", &S::evaluate, nb::arg("state"),
             "The static evaluation of a state for its side to move, between -100 and 100.")
        .def("candidate_moves", &S::candidate_moves, nb::arg("state"),
             "The moves that a search considers, in ascending order. Raises ValueError if the game is over.")
        .def(
            "analyse",
            [](S& searcher, const State<P>& state, std::optional<int> depth,
               std::optional<std::uint64_t> nodes, std::optional<double> seconds, int threads, double margin,
               bool reduce) {
                const auto limits = limits_of(depth, nodes, seconds);
                search::SearchOptions options;
                options.margin = static_cast<int>(std::clamp(margin, 0.0, 200.0) * search::score_unit);
                options.reduce = reduce;
                return searcher.analyse(state, limits, options, std::clamp(threads, 1, 256));
            },
            nb::arg("state"), nb::kw_only(), nb::arg("depth") = nb::none(), nb::arg("nodes") = nb::none(),
            nb::arg("seconds") = nb::none(), nb::arg("threads") = 1, nb::arg("margin") = 0.0,
            nb::arg("reduce") = true,
            "Searches a state until the first limit is reached.\n\n`depth` in plies, `nodes` per thread, "
            "`seconds`: at least one is needed. Moves within `margin` of the best get exact values. `reduce` "
            "turns late move reductions on. Raises ValueError if the game is over or no limit is given.")
        .def(
            "treestrap",
            [](S& searcher, const State<P>& state, int depth, bool all_nodes, bool minimax, int min_depth,
               double decay, double max_error, bool skip_draws, bool staged) {
                if (depth < 1) throw nb::value_error("depth must be at least 1");
                auto [analysis, gradient] = searcher.treestrap(
                    state, {depth, all_nodes, minimax, min_depth, decay, max_error, skip_draws}, staged);
                const Zeros<double> sums(gradient.sums.size());
                std::copy(gradient.sums.begin(), gradient.sums.end(), sums.data());
                return nb::make_tuple(std::move(analysis),
                                      sums.array(sums.data(), {static_cast<std::size_t>(F::stages),
                                                               static_cast<std::size_t>(F::size)}),
                                      gradient.positions, gradient.squared_error);
            },
            nb::arg("state"), nb::kw_only(), nb::arg("depth"), nb::arg("all_nodes"), nb::arg("minimax"),
            nb::arg("min_depth"), nb::arg("decay"), nb::arg("max_error"), nb::arg("skip_draws"),
            nb::arg("staged"),
            nb::sig("def treestrap(self, state: object, *, depth: int, all_nodes: bool, minimax: bool, "
                    "min_depth: int, decay: float, max_error: float, skip_draws: bool, staged: bool) -> "
                    "tuple[Analysis, numpy.typing.NDArray[numpy.float64], int, float]"),
            "Searches a state with an empty table and computes the gradient of RootStrap or "
            "TreeStrap.\n\nThe options are those of TreeStrapConfig in core/search/treestrap.hpp. `staged` "
            "ends lines at the next stage of the game. Returns the analysis; the sum over the nodes of "
            "decay^d (V - H) phi, float64 [stages, features]; the number of nodes in the sum; and their "
            "weighted squared error. Raises ValueError if the game is over.")
        .def("stop", &S::stop, "Stops the search of another thread.")
        .def("clear", &S::clear, "Clears the transposition table.");
}

}  // namespace sparring::bindings
