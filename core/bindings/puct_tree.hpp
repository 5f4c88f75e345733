// The class <Game>Tree: a PUCT tree that asks for evaluations of leaves in batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bindings/policy.hpp"
#include "search/puct.hpp"

namespace sparring::bindings {

using search::PuctConfig;
using search::PuctTree;
using FloatArray = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::span<const float> as_span(const FloatArray& array) { return {array.data(), array.shape(0)}; }

/// Runs `work` on a tree that no other thread uses, without the interpreter's lock.
template <class T, class Do>
auto owned(T& tree, Do work) {
    const auto guard = tree.ownership.hold();
    nb::gil_scoped_release release;
    return work();
}

/// A member function of a tree that refuses a tree which another thread uses.
template <class T, auto member>
constexpr auto owned_member = [](const T& tree) {
    const auto guard = tree.ownership.hold();
    return (tree.*member)();
};

/// The statistics of the root's moves as five arrays.
template <GamePosition P>
nb::tuple root_moves(const PuctTree<P>& tree) {
    const auto guard = tree.ownership.hold();
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
    nb::class_<T>(m, name,
                  "A PUCT tree. `select` gives out leaves in batches, `evaluate` takes their evaluations.")
        .def(nb::init<const State<P>&, const PuctConfig&>(), nb::arg("root"), nb::arg("config"),
             "A tree with one node, `root`.")
        .def_prop_ro("root", owned_member<T, &T::root>, "The state at the root.")
        .def_prop_ro("visits", owned_member<T, &T::visits>, "The number of visits of the root.")
        .def_prop_ro("value", owned_member<T, &T::value>,
                     "The root's value for its side to move, from -1 to 1; exact if proven, NaN before the "
                     "first visit.")
        .def_prop_ro("max_depth", owned_member<T, &T::max_depth>,
                     "The length of the longest line searched, in plies.")
        .def_prop_ro("full", owned_member<T, &T::full>,
                     "Whether the memory limit is reached: no node is added.")
        .def_prop_ro("bytes", owned_member<T, &T::bytes>, "The approximate size of the tree in bytes.")
        .def("__len__", owned_member<T, &T::size>, "The number of nodes.")
        .def(
            "select",
            [](T& tree, std::size_t count, std::uint32_t visits) {
                return owned(tree, [&] { return tree.select(count, visits); });
            },
            nb::arg("count"), nb::arg("visits"),
            "Up to `count` leaves to evaluate.\n\n"
            "`visits` limits the visits of the root in this call, terminal nodes included. Empty if nothing "
            "is left to learn: the memory limit is reached, or the end of every move is proven. Raises "
            "RuntimeError while earlier leaves wait for their evaluation.")
        .def(
            "evaluate",
            [](T& tree, const FloatArray& priors, const FloatArray& values) {
                owned(tree, [&] { tree.evaluate(as_span(priors), as_span(values)); });
            },
            nb::arg("priors"), nb::arg("values"),
            "Evaluates the leaves of the last `select`.\n\n"
            "`priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the "
            "other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. "
            "Raises ValueError if the sizes do not match or a number is not finite or a prior negative; the "
            "leaves then still wait.")
        .def(
            "cancel", [](T& tree) { owned(tree, [&] { tree.cancel(); }); },
            "Drops the leaves of the last `select` without an evaluation.")
        .def_prop_ro("lead", owned_member<T, &T::lead>,
                     "By how many visits the most visited move of the root leads the next: if fewer visits "
                     "are left, the choice is certain.")
        .def(
            "add_noise",
            [](T& tree, const FloatArray& noise, double share) {
                owned(tree, [&] { tree.add_noise(as_span(noise), share); });
            },
            nb::arg("noise"), nb::arg("share"),
            "Mixes noise into the root's priors: (1 - share) * prior + share * noise.\n\n"
            "`noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.")
        .def(
            "begin_halving",
            [](T& tree, const FloatArray& noise, std::uint32_t visits, std::uint32_t considered,
               double c_visit, double c_scale) {
                const search::GumbelConfig config{considered, c_visit, c_scale};
                owned(tree, [&] { tree.begin_halving(as_span(noise), config, visits); });
            },
            nb::arg("noise"), nb::arg("visits"), nb::arg("considered"), nb::arg("c_visit"),
            nb::arg("c_scale"),
            "Searches the root by Gumbel and sequential halving: `visits` visits of its moves, of which the "
            "`considered` best by noise + logit are searched.\n\n"
            "`noise` float32 [legal moves of the root]: samples of the Gumbel distribution. sigma(q) = "
            "(c_visit + max N) c_scale q. The search ends early if a win is proven. Raises ValueError, and "
            "RuntimeError if moves of the root were visited.")
        .def("halving_choice", owned_member<T, &T::halving_choice>,
             "The place among the root's moves of the move that sequential halving plays: a proven win, or "
             "the "
             "best of the most visited. Raises RuntimeError without `begin_halving`.")
        .def(
            "restrict",
            [](T& tree, const std::vector<int>& moves) {
                std::vector<Move> codes;
                for (const int move : moves) codes.push_back(checked(move));
                owned(tree, [&] { tree.restrict(codes); });
            },
            nb::arg("moves"),
            "Restricts the search to these moves of the root; an empty list lifts the restriction.")
        .def("root_moves", &root_moves<P>,
             nb::sig("def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]"),
             "The statistics of the root's legal moves in ascending order, empty before the root was "
             "evaluated: moves, priors, visits, values and forced, an array [moves] each.\n\n"
             "Values are for the side to move, NaN without visits. `forced` is the number of plies to a "
             "proven win, negative for a loss, 0 if neither is proven.")
        .def(
            "pv",
            [](const T& tree, int first) {
                const auto guard = tree.ownership.hold();
                const auto moves = tree.pv(checked(first));
                return std::vector<int>(moves.begin(), moves.end());
            },
            nb::arg("first"),
            "The principal variation that begins with the move `first` of the root: the most visited moves, "
            "or a proven line to its end.")
        .def(
            "advance", [](T& tree, int move) { owned(tree, [&] { tree.advance(checked(move)); }); },
            nb::arg("move"), "Plays a move at the root and keeps the tree below it. Raises IllegalMove.");
    state.def(
        "tree", [](const State<P>& root, const PuctConfig& config) { return T(root, config); },
        nb::arg("config"), "A new PUCT tree with this state at the root.");
}

}  // namespace sparring::bindings
