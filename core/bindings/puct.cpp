// The PUCT tree of every game in which nothing is hidden.
#include "search/puct.hpp"

#include "bindings/games.hpp"
#include "bindings/policy.hpp"
#include "breakthrough/position.hpp"
#include "chess/position.hpp"
#include "expendibots/position.hpp"
#include "go/position.hpp"
#include "shogi/position.hpp"

namespace sparring::bindings {

namespace {

using search::PuctParams;
using search::PuctTree;
using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const float> as_span(const Floats& array) { return {array.data(), array.shape(0)}; }

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
void bind_tree(nb::module_& m, const char* name) {
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
            [](T& tree, const Floats& priors, const Floats& values) {
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
            [](T& tree, const Floats& noise, double share) { tree.add_noise(as_span(noise), share); },
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
}

}  // namespace

void bind_puct(nb::module_& m) {
    nb::class_<PuctParams>(m, "PuctParams", "The arguments of a PUCT tree.")
        .def(
            "__init__",
            [](PuctParams* params, double c_puct, double c_base, double c_factor, double prior_temperature,
               bool fpu_absolute, double fpu_reduction, bool find_immediate_wins, bool repetition_draws,
               double draw_value, std::size_t memory) {
                new (params) PuctParams{c_puct,
                                        c_base,
                                        c_factor,
                                        prior_temperature,
                                        fpu_absolute,
                                        fpu_reduction,
                                        find_immediate_wins,
                                        repetition_draws,
                                        draw_value,
                                        memory};
            },
            nb::kw_only(), nb::arg("c_puct"), nb::arg("c_base"), nb::arg("c_factor"),
            nb::arg("prior_temperature"), nb::arg("fpu_absolute"), nb::arg("fpu_reduction"),
            nb::arg("find_immediate_wins"), nb::arg("repetition_draws"), nb::arg("draw_value"),
            nb::arg("memory"));
    bind_tree<chess::Position>(m, "ChessTree");
    bind_tree<shogi::Position>(m, "ShogiTree");
    bind_tree<go::Position>(m, "GoTree");
    bind_tree<expendibots::Position>(m, "ExpendibotsTree");
    bind_tree<breakthrough::Position>(m, "BreakthroughTree");
}

}  // namespace sparring::bindings
