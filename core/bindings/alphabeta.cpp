#include "bindings/alphabeta.hpp"

namespace sparring::bindings {

void bind_alphabeta(nb::module_& m) {
    nb::class_<Analysis>(
        m, "Analysis",
        "The result of an alpha-beta search. Values are for the side to move; 100 is a win and -100 a loss.")
        .def_prop_ro(
            "moves",
            [](const Analysis& a) {
                nb::list result;
                for (const auto& [move, score] : a.result.moves) {
                    result.append(nb::make_tuple(static_cast<int>(move), search::value_of(score)));
                }
                return result;
            },
            nb::sig("def moves(self) -> list[tuple[int, float]]"),
            "The searched moves with their values, best first. Values outside the margin are upper bounds.")
        .def_prop_ro(
            "pv", [](const Analysis& a) { return std::vector<int>(a.result.pv.begin(), a.result.pv.end()); },
            "The principal variation, quiescence included.")
        .def_prop_ro(
            "value", [](const Analysis& a) { return search::value_of(a.best().score); },
            "The value of the best move.")
        .def_prop_ro("plies_to_end", &Analysis::plies_to_end,
                     "Plies to the end of a decided game, or None. The sign of `value` tells the winner.")
        .def_prop_ro(
            "depth", [](const Analysis& a) { return a.result.depth; }, "The last finished depth in plies.")
        .def_prop_ro(
            "nodes", [](const Analysis& a) { return a.result.nodes; },
            "The number of positions searched by all threads.")
        .def_prop_ro(
            "seconds", [](const Analysis& a) { return a.result.seconds; }, "The duration of the search.");
}

}  // namespace sparring::bindings
