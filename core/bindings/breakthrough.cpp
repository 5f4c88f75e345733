#include "bindings/alphabeta.hpp"
#include "bindings/games.hpp"
#include "bindings/state.hpp"
#include "breakthrough/evaluator.hpp"
#include "breakthrough/position.hpp"

namespace sparring::bindings {

void bind_breakthrough(nb::module_& m) {
    using breakthrough::Position;
    using S = State<Position>;
    auto state =
        bind_state<Position>(m, "BreakthroughState", "A Breakthrough position and the line that led to it.");
    state.def_static("initial", [] { return S(Position()); })
        .def_prop_ro(
            "pieces",
            [](const S& s) {
                return std::vector<std::uint64_t>{s.position().pieces(breakthrough::white),
                                                  s.position().pieces(breakthrough::black)};
            },
            "White's pieces and Black's, as bits 8 * y + x.");
    bind_searcher<Position, breakthrough::Evaluator>(m, "BreakthroughSearch");
}

}  // namespace sparring::bindings
