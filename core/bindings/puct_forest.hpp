// The class <Game>Forest: many PUCT trees searched in lockstep.
#pragma once

#include "bindings/puct_tree.hpp"
#include "bindings/state_batch.hpp"
#include "search/puct_forest.hpp"

namespace sparring::bindings {

using search::PuctForest;

/// The statistics of the root moves of all trees as five arrays, and the offsets of each tree's.
template <GamePosition P>
nb::tuple forest_root_moves(const PuctForest<P>& forest) {
    const auto guard = forest.ownership.hold();
    std::vector<std::int64_t> codes, visits, forced, offsets{0};
    std::vector<double> priors, values;
    for (const auto& tree : forest.trees()) {
        for (const auto& move : tree.root_moves()) {
            codes.push_back(move.move);
            priors.push_back(static_cast<double>(move.prior));
            visits.push_back(move.visits);
            values.push_back(move.value);
            forced.push_back(move.forced);
        }
        offsets.push_back(static_cast<std::int64_t>(codes.size()));
    }
    return nb::make_tuple(copied(codes), copied(priors), copied(visits), copied(values), copied(forced),
                          copied(offsets));
}

inline std::span<const std::int64_t> numbers(const Indices& array) { return {array.data(), array.shape(0)}; }

template <GamePosition P>
void bind_puct_forest(nb::module_& m, const char* name) {
    using F = PuctForest<P>;
    nb::class_<F>(m, name, "Many PUCT trees searched in lockstep: each step evaluates a batch of every tree.")
        .def(nb::init<const std::vector<State<P>>&, const PuctConfig&>(), nb::arg("roots"), nb::arg("config"),
             "A tree for each root.")
        .def(
            "__len__", [](const F& forest) { return forest.trees().size(); }, "The number of trees.")
        .def(
            "select",
            [](F& forest, std::uint32_t visits) {
                StateBatch<P> leaves;
                std::vector<std::int64_t> trees;
                owned(forest, [&] { forest.select(visits, leaves.states, trees); });
                return nb::make_tuple(nb::cast(std::move(leaves)), copied(trees));
            },
            nb::arg("visits"),
            nb::sig("def select(self, visits: int) -> tuple[typing.Any, numpy.typing.NDArray[numpy.int64]]"),
            "The next leaves of every tree with fewer than `visits` visits: the states as one batch, and the "
            "index of each one's tree, int64 [leaves]. A tree has as many as in a search of its own "
            "(`PuctConfig.batch_size`). No leaves: the search is over. Raises RuntimeError while earlier "
            "leaves wait for their evaluation.")
        .def(
            "select",
            [](F& forest, const Indices& visits) {
                StateBatch<P> leaves;
                std::vector<std::int64_t> trees;
                owned(forest, [&] { forest.select(numbers(visits), leaves.states, trees); });
                return nb::make_tuple(nb::cast(std::move(leaves)), copied(trees));
            },
            nb::arg("visits"),
            nb::sig("def select(self, visits: numpy.typing.NDArray[numpy.int64]) -> tuple[typing.Any, "
                    "numpy.typing.NDArray[numpy.int64]]"),
            "The same with a limit of its own for each tree, int64 [trees].")
        .def(
            "add_noise",
            [](F& forest, const FloatArray& noise, double share) {
                owned(forest, [&] { forest.add_noise(as_span(noise), share); });
            },
            nb::arg("noise"), nb::arg("share"),
            "Mixes noise into the priors of all roots: see the tree's `add_noise`. `noise` float32 [root "
            "moves "
            "of all trees], as `root_moves` orders them. Raises ValueError.")
        .def(
            "begin_halving",
            [](F& forest, const FloatArray& noise, const Indices& visits, std::uint32_t considered,
               double c_visit, double c_scale) {
                const search::GumbelConfig config{considered, c_visit, c_scale};
                owned(forest, [&] { forest.begin_halving(as_span(noise), config, numbers(visits)); });
            },
            nb::arg("noise"), nb::arg("visits"), nb::arg("considered"), nb::arg("c_visit"),
            nb::arg("c_scale"),
            "Searches all roots by sequential halving: see the tree's `begin_halving`. `noise` float32 [root "
            "moves of all trees]; `visits` int64 [trees]. Raises ValueError, and RuntimeError if moves of a "
            "root were visited.")
        .def(
            "halving_choices",
            [](const F& forest) {
                const auto guard = forest.ownership.hold();
                return column<std::int64_t>(forest.trees(), [](const auto& tree) {
                    return static_cast<std::int64_t>(tree.halving_choice());
                });
            },
            nb::rv_policy::move, "The place of each tree's choice among its root moves: int64 [trees].")
        .def(
            "advance",
            [](F& forest, const Indices& moves) {
                for (std::size_t i = 0; i < moves.shape(0); ++i) checked(static_cast<int>(moves.data()[i]));
                owned(forest, [&] { forest.advance(numbers(moves)); });
            },
            nb::arg("moves"),
            "Plays a move in every tree, int64 [trees], and keeps the tree below it. Raises IllegalMove.")
        .def(
            "restart",
            [](F& forest, std::size_t tree, const State<P>& root) {
                if (tree >= forest.trees().size()) throw nb::index_error("tree index out of range");
                owned(forest, [&] { forest.restart(tree, root); });
            },
            nb::arg("tree"), nb::arg("root"), "Replaces a tree by a new one.")
        .def(
            "evaluate",
            [](F& forest, const FloatArray& priors, const FloatArray& values) {
                owned(forest, [&] { forest.evaluate(as_span(priors), as_span(values)); });
            },
            nb::arg("priors"), nb::arg("values"),
            "Evaluates the leaves of the last `select`: see the tree's `evaluate`. Raises ValueError.")
        .def(
            "cancel", [](F& forest) { owned(forest, [&] { forest.cancel(); }); },
            "Drops the leaves of the last `select` without an evaluation.")
        .def_prop_ro(
            "visits",
            [](const F& forest) {
                const auto guard = forest.ownership.hold();
                return column<std::int64_t>(forest.trees(), [](const auto& tree) {
                    return static_cast<std::int64_t>(tree.visits());
                });
            },
            nb::rv_policy::move, "The visits of each root: int64 [trees].")
        .def_prop_ro(
            "values",
            [](const F& forest) {
                const auto guard = forest.ownership.hold();
                return column<double>(forest.trees(), [](const auto& tree) { return tree.value(); });
            },
            nb::rv_policy::move, "The value of each root for its side to move: float64 [trees].")
        .def_prop_ro(
            "max_depths",
            [](const F& forest) {
                const auto guard = forest.ownership.hold();
                return column<std::int64_t>(forest.trees(), [](const auto& tree) {
                    return static_cast<std::int64_t>(tree.max_depth());
                });
            },
            nb::rv_policy::move, "The length of the longest line of each tree, in plies: int64 [trees].")
        .def(
            "pv",
            [](const F& forest, std::size_t tree, int first) {
                const auto guard = forest.ownership.hold();
                if (tree >= forest.trees().size()) throw nb::index_error("tree index out of range");
                const auto moves = forest.trees()[tree].pv(checked(first));
                return std::vector<int>(moves.begin(), moves.end());
            },
            nb::arg("tree"), nb::arg("first"), "The principal variation of a tree: see the tree's `pv`.")
        .def("root_moves", &forest_root_moves<P>,
             nb::sig("def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.int64]]"),
             "The statistics of the root moves of all trees, tree after tree: moves, priors, visits, values "
             "and forced as in a tree's `root_moves`, and the offsets int64 [trees + 1] of each tree's.");
}

}  // namespace sparring::bindings
