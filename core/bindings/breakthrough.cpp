#include "bindings/alphabeta.hpp"
#include "bindings/minimax_forest.hpp"
#include "bindings/puct_forest.hpp"
#include "bindings/puct_tree.hpp"
#include "bindings/samples.hpp"
#include "bindings/state.hpp"
#include "bindings/symmetry.hpp"
#include "bindings/value_network.hpp"
#include "breakthrough/encoding.hpp"
#include "breakthrough/evaluator.hpp"
#include "breakthrough/network.hpp"
#include "breakthrough/position.hpp"

namespace sparring::bindings {

void bind_breakthrough(nb::module_& m) {
    using breakthrough::Position;
    using S = State<Position>;
    auto state = bind_state<Position>(m, "BreakthroughState",
                                      "A Breakthrough position and the line of play before it. A move is 3 * "
                                      "source square + direction (0 left, 1 straight, 2 right).");
    state.def_static("initial", [] { return S(Position()); })
        .def_prop_ro(
            "pieces",
            [](const S& s) {
                return std::vector<std::uint64_t>{s.position().pieces(breakthrough::white),
                                                  s.position().pieces(breakthrough::black)};
            },
            "White's and Black's pieces as bitboards; the square (x, y) is bit 8 * y + x.");
    bind_symmetry(state);
    bind_puct_tree(m, state, "BreakthroughTree");
    bind_states<Position>(m, "BreakthroughStates");
    bind_puct_forest<Position>(m, "BreakthroughForest");
    bind_samples<Position>(m, "BreakthroughSamples");
    bind_value_network<Position, breakthrough::NetworkInputs>(
        m, "BreakthroughNetwork",
        "A value network with two hidden layers and tanh output. Inputs are the pieces, one-hot by owner, "
        "attackers, protectors and square.");
    bind_minimax_forest<Position, breakthrough::NetworkInputs>(m, "BreakthroughMinimaxForest");
    using Searcher = LockedSearcher<Position, breakthrough::Evaluator>;
    bind_searcher<Position, breakthrough::Evaluator>(m, "BreakthroughSearch")
        .def(
            "set_network",
            [](Searcher& searcher, std::shared_ptr<const breakthrough::Network> network) {
                searcher.update_evaluator(
                    [&](breakthrough::Evaluator& evaluator) { evaluator.set_network(std::move(network)); });
            },
            nb::arg("network"),
            "Evaluates with a network instead of the weights. Clears the transposition table.");
}

}  // namespace sparring::bindings
