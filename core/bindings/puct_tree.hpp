// The class <Game>Tree: a PUCT tree that asks for evaluations of leaves in batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bindings/policy.hpp"
#include "search/puct.hpp"

namespace sparring::bindings {

using search::PuctParams;
using search::PuctTree;
using FloatArray = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::span<const float> as_span(const FloatArray& array) { return {array.data(), array.shape(0)}; }

template <class Do>
auto unlocked(Do work) {
    nb::gil_scoped_release release;
    return work();
}

/// The root's moves as five arrays.
template <GamePosition P>
nb::tuple root_moves(const PuctTree<P>& tree) {
    const auto moves = tree.root_moves();
    const Zeros<std::int64_t> codes(moves.size()), visits(moves.size()), forced(moves.size());
    const Zeros<double> priors(moves.size()), values(moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
        codes.data()[i] = moves[i].move;
        visits.data()[i] = moves[i].visits;
        priors.data()[i] = static_cast<double>(moves[i].prior);
        values.data()[i] = moves[i].value;
        forced.data()[i] = moves[i].forced;
    }
    return nb::make_tuple(
        codes.array(codes.data(), {moves.size()}), priors.array(priors.data(), {moves.size()}),
        visits.array(visits.data(), {moves.size()}), values.array(values.data(), {moves.size()}),
        forced.array(forced.data(), {moves.size()}));
}

template <GamePosition P>
void bind_puct_tree(nb::module_& m, nb::class_<State<P>>& state, const char* name) {
    using T = PuctTree<P>;
    nb::class_<T>(m, name, "A PUCT tree: it asks for evaluations of leaves in batches.")
        .def(nb::init<const State<P>&, const PuctParams&>(), nb::arg("root"), nb::arg("params"))
        .def_prop_ro("root", &T::root, nb::rv_policy::copy, "The state at the root.")
        .def_prop_ro("visits", &T::visits, "How often the root was visited.")
        .def_prop_ro(
            "value", &T::value,
            "The root's value for its side to move, exact where the winner is certain; NaN before the "
            "first visit.")
        .def_prop_ro("max_depth", &T::max_depth, "Moves of the longest line looked at.")
        .def_prop_ro("full", &T::full, "Whether the memory allowed is used up.")
        .def_prop_ro("bytes", &T::bytes, "About how much memory the tree takes.")
        .def("__len__", &T::size)
        .def(
            "select",
            [](T& tree, std::size_t count, std::uint32_t visits) {
                return unlocked([&] { return tree.select(count, visits); });
            },
            nb::arg("count"), nb::arg("visits"),
            "Up to `count` leaves that need an evaluation, after at most `visits` visits, ends of games "
            "included. None where no more can be learned: memory is used up, or all moves' ends are certain.")
        .def(
            "evaluate",
            [](T& tree, const FloatArray& priors, const FloatArray& values) {
                unlocked([&] {
                    tree.evaluate(as_span(priors), as_span(values));
                    return 0;
                });
            },
            nb::arg("priors"), nb::arg("values"),
            "The evaluations of the leaves: priors of their legal moves in ascending order, one leaf's after "
            "the other's; a value each for the side to move, from -1 to 1.")
        .def("cancel", &T::cancel, "Leaves that were asked for will not be evaluated.")
        .def(
            "add_noise",
            [](T& tree, const FloatArray& noise, double share) { tree.add_noise(as_span(noise), share); },
            nb::arg("noise"), nb::arg("share"), "Mixes noise into the root's priors.")
        .def(
            "restrict",
            [](T& tree, const std::vector<int>& moves) {
                std::vector<Move> codes;
                for (const int move : moves) codes.push_back(checked(move));
                tree.restrict(codes);
            },
            nb::arg("moves"), "Only these moves of the root are searched from now on; none for all.")
        .def("root_moves", &root_moves<P>,
             nb::sig("def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]"),
             "The root's legal moves in ascending order, their priors, visits and values for its side to "
             "move, and the plies to the ends that they force: above 0 to a win, below 0 to a loss, 0 where "
             "neither is certain.")
        .def(
            "pv",
            [](const T& tree, int first) {
                const auto moves = tree.pv(checked(first));
                return std::vector<int>(moves.begin(), moves.end());
            },
            nb::arg("first"),
            "The most visited line that begins with a move of the root; forced ends are played out.")
        .def(
            "advance", [](T& tree, int move) { tree.advance(checked(move)); }, nb::arg("move"),
            "Plays a move at the root and keeps what is known of it. Raises IllegalMove.");
    state.def(
        "tree", [](const State<P>& root, const PuctParams& params) { return T(root, params); },
        nb::arg("params"), "A new PUCT tree with this state at the root.");
}

}  // namespace sparring::bindings
