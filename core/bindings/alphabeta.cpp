#include "bindings/alphabeta.hpp"

namespace sparring::bindings {

void bind_alphabeta(nb::module_& m) {
    nb::class_<Analysis>(m, "Analysis",
                         "What a search found, for the side to move; values are 100 for a win.")
        .def_prop_ro(
            "moves",
            [](const Analysis& a) {
                nb::list result;
                for (const auto& [move, score] : a.found.moves) {
                    result.append(nb::make_tuple(static_cast<int>(move), search::value_of(score)));
                }
                return result;
            },
            nb::sig("def moves(self) -> list[tuple[int, float]]"),
            "The moves that were searched, best first; beyond the margin the values are upper bounds.")
        .def_prop_ro(
            "pv", [](const Analysis& a) { return std::vector<int>(a.found.pv.begin(), a.found.pv.end()); },
            "The principal variation, quiescence included.")
        .def_prop_ro("value", [](const Analysis& a) { return search::value_of(a.best().score); })
        .def_prop_ro("plies_to_end", &Analysis::plies_to_end,
                     "Where the game is decided, how soon it ends; the value says for whom.")
        .def_prop_ro(
            "depth", [](const Analysis& a) { return a.found.depth; }, "The last depth that was finished.")
        .def_prop_ro(
            "nodes", [](const Analysis& a) { return a.found.nodes; }, "Positions visited, by all threads.")
        .def_prop_ro("seconds", [](const Analysis& a) { return a.found.seconds; });
}

}  // namespace sparring::bindings
