// The class <Game>MinimaxForest: best-first minimax or Descent in many trees.
#pragma once

#include <memory>

#include "bindings/alphabeta.hpp"
#include "bindings/puct_tree.hpp"
#include "bindings/state_batch.hpp"
#include "search/minimax_forest.hpp"
#include "search/value_network.hpp"

namespace sparring::bindings {

using search::MinimaxForest;
using search::MinimaxTree;

template <GamePosition P>
MinimaxTree<P>& tree_at(MinimaxForest<P>& forest, std::size_t index) {
    if (index >= forest.trees.size()) throw nb::index_error("tree index out of range");
    return forest.trees[index];
}

/// The moves at the root of a tree: codes, values for the side to move, visits, completions, resolved.
template <GamePosition P>
nb::tuple minimax_root_moves(MinimaxForest<P>& forest, std::size_t index) {
    const auto guard = forest.ownership.hold();
    const MinimaxTree<P>& tree = tree_at(forest, index);
    const int sign = tree.root().state.position().side() == 0 ? 1 : -1;
    std::vector<std::int64_t> codes, visits, completions;
    std::vector<double> values;
    std::vector<std::uint8_t> resolved;
    for (const auto& edge : tree.edges_of(tree.root())) {
        codes.push_back(edge.move);
        values.push_back(sign * static_cast<double>(edge.value.value));
        visits.push_back(edge.visits);
        completions.push_back(sign * edge.value.completion);
        resolved.push_back(edge.value.resolved);
    }
    return nb::make_tuple(copied(codes), copied(values), copied(visits), copied(completions),
                          copied(resolved));
}

/// The expanded states of a tree and their values for the side to move, all backed up.
template <GamePosition P>
nb::tuple minimax_targets(MinimaxForest<P>& forest, std::size_t index) {
    StateBatch<P> batch;
    std::vector<float> values;
    std::vector<std::uint8_t> resolved;
    owned(forest, [&] {
        MinimaxTree<P>& tree = tree_at(forest, index);
        tree.back_up_all();
        for (const auto& node : tree.nodes()) {
            if (!node.expanded) continue;
            batch.states.push_back(node.state);
            values.push_back(node.state.position().side() == 0 ? node.value.value : -node.value.value);
            resolved.push_back(node.value.resolved);
        }
    });
    return nb::make_tuple(nb::cast(std::move(batch)), copied(values), copied(resolved));
}

/// Binds the forest of a game as `name`; Inputs are those of its native value network.
template <GamePosition P, class Inputs>
void bind_minimax_forest(nb::module_& m, const char* name) {
    using F = MinimaxForest<P>;
    using Network = search::ValueNetwork<Inputs>;
    nb::class_<F>(m, name,
                  "Best-first minimax with completed values in many trees (core/search/minimax_tree.hpp).\n\n"
                  "`search` evaluates with a native network; `select` and `evaluate` give the positions out "
                  "in batches, those of all trees together.")
        .def(
            "__init__",
            [](F* self, const std::vector<State<P>>& roots, bool descend, int horizon,
               std::size_t megabytes) {
                if (horizon < 1) throw nb::value_error("horizon must be at least 1");
                new (self) F(roots, {descend, horizon, megabytes});
            },
            nb::arg("roots"), nb::kw_only(), nb::arg("descend") = false, nb::arg("horizon") = 200,
            nb::arg("megabytes") = 512,
            "A tree for each root. `descend`: each iteration goes on to the end of a game (Descent). A win "
            "at "
            "ply p counts 1 - p / (2 * horizon), at least 1/2. `megabytes` is the limit of each tree.")
        .def(
            "__len__", [](const F& forest) { return forest.trees.size(); }, "The number of trees.")
        .def(
            "select",
            [](F& forest, std::uint64_t evaluations) {
                StateBatch<P> children;
                owned(forest, [&] { children.states = forest.select(evaluations); });
                return children;
            },
            nb::arg("evaluations"), nb::sig("def select(self, evaluations: int) -> typing.Any"),
            "The positions to evaluate next, of every tree with fewer than `evaluations` since its last "
            "move. "
            "None: the search is over. Raises RuntimeError while earlier positions wait.")
        .def(
            "evaluate",
            [](F& forest, const FloatArray& values) {
                owned(forest, [&] { forest.evaluate(as_span(values)); });
            },
            nb::arg("values"),
            "Takes the values float32 [positions] of the last `select`, each for its side to move. Raises "
            "ValueError.")
        .def(
            "search",
            [](F& forest, const Network& network, std::uint64_t evaluations, double seconds) {
                owned(forest,
                      [&] { forest.search(network, Inputs{}, evaluations, seconds, signal_pending); });
                raise_pending();
            },
            nb::arg("network"), nb::arg("evaluations"),
            nb::arg("seconds") = std::numeric_limits<double>::infinity(),
            "Searches every tree with a native network until it has `evaluations` since its last move, or "
            "`seconds` are over, or `stop` is called.")
        .def("stop", &F::stop, "Ends the search of another thread.")
        .def_prop_ro(
            "evaluations",
            [](const F& forest) {
                const auto guard = forest.ownership.hold();
                return column<std::int64_t>(forest.trees, [](const auto& tree) {
                    return static_cast<std::int64_t>(tree.evaluations());
                });
            },
            nb::rv_policy::move, "Positions evaluated in each tree since its last move: int64 [trees].")
        .def(
            "nodes",
            [](F& forest, std::size_t tree) {
                const auto guard = forest.ownership.hold();
                return tree_at(forest, tree).nodes().size();
            },
            nb::arg("tree"), "The number of nodes of a tree: the positions that a line went through.")
        .def(
            "bytes",
            [](F& forest, std::size_t tree) {
                const auto guard = forest.ownership.hold();
                return tree_at(forest, tree).bytes();
            },
            nb::arg("tree"), "The approximate size of a tree in bytes.")
        .def(
            "root",
            [](F& forest, std::size_t tree) {
                const auto guard = forest.ownership.hold();
                return tree_at(forest, tree).root().state;
            },
            nb::arg("tree"), "The state at the root of a tree.")
        .def(
            "value",
            [](F& forest, std::size_t tree) {
                const auto guard = forest.ownership.hold();
                const auto& root = tree_at(forest, tree).root();
                const int sign = root.state.position().side() == 0 ? 1 : -1;
                return nb::make_tuple(sign * static_cast<double>(root.value.value),
                                      sign * root.value.completion, root.value.resolved);
            },
            nb::arg("tree"), nb::sig("def value(self, tree: int) -> tuple[float, int, bool]"),
            "The root's value for its side to move; 1 if it wins by force, -1 if it loses, else 0; and "
            "whether its result is proven.")
        .def(
            "root_moves", &minimax_root_moves<P>, nb::arg("tree"),
            nb::sig("def root_moves(self, tree: int) -> tuple[numpy.typing.NDArray[numpy.int64], "
                    "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], "
                    "numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint8]]"),
            "The moves at a root, an array [moves] each: moves, values for the side to move, visits, "
            "completions (1 wins by force, -1 loses, else 0), and whether the result is proven. Empty before "
            "the first search.")
        .def(
            "safest",
            [](F& forest, std::size_t tree) {
                const auto guard = forest.ownership.hold();
                return int{tree_at(forest, tree).safest()};
            },
            nb::arg("tree"),
            "The move to play: a proven win, else the move that was searched most. Raises RuntimeError "
            "before "
            "the first search.")
        .def(
            "pv",
            [](F& forest, std::size_t tree) {
                const auto guard = forest.ownership.hold();
                const auto moves = tree_at(forest, tree).pv();
                return std::vector<int>(moves.begin(), moves.end());
            },
            nb::arg("tree"), "The best moves from a root on.")
        .def(
            "advance",
            [](F& forest, std::size_t tree, int move) {
                owned(forest, [&] { tree_at(forest, tree).advance(checked(move)); });
            },
            nb::arg("tree"), nb::arg("move"),
            "Plays a move at a root and keeps the whole tree. Raises IllegalMove.")
        .def(
            "compact",
            [](F& forest, std::size_t tree) { owned(forest, [&] { tree_at(forest, tree).compact(); }); },
            nb::arg("tree"), "Drops what is not below the root of a tree.")
        .def("targets", &minimax_targets<P>, nb::arg("tree"),
             nb::sig("def targets(self, tree: int) -> tuple[typing.Any, "
                     "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint8]]"),
             "All expanded states of a tree as one batch, their minimax values for the side to move, float32 "
             "[states], and whether their results are proven.");
}

}  // namespace sparring::bindings
