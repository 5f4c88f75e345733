#include "expendibots/endgame_tables.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <memory>

#include "expendibots/position.hpp"
#include "expendibots/retrograde.hpp"
#include "game/state.hpp"

namespace nb = nanobind;

namespace sparring::bindings {

namespace {

using expendibots::EndgameTables;
using expendibots::Material;
using S = State<expendibots::Position>;

void add(EndgameTables& endgames, int strong, int weak, const nb::bytes& values) {
    const auto* first = static_cast<const std::int8_t*>(values.data());
    endgames.add({strong, weak}, std::vector<std::int8_t>(first, first + values.size()));
}

nb::bytes solve(const EndgameTables& endgames, int strong, int weak) {
    std::vector<std::int8_t> values;
    {
        const EndgameTables smaller = endgames;  // a copy: other threads may add tables
        nb::gil_scoped_release release;
        values = expendibots::solve({strong, weak}, smaller);
    }
    return nb::bytes(values.data(), values.size());
}

}  // namespace

void bind_expendibots_endgames(nb::module_& m) {
    nb::class_<EndgameTables>(m, "ExpendibotsEndgameTables",
                              "Endgame tables. The value of a position is +d if the side to move wins in d "
                              "actions, -d if it loses in d, 0 for a draw.")
        .def(nb::init<>())
        .def("add", &add, nb::arg("strong"), nb::arg("weak"), nb::arg("values"),
             "Adds the table of `strong` against `weak` tokens: one signed byte for each position index. "
             "Raises ParseError.")
        .def(
            "has", [](const EndgameTables& e, int strong, int weak) { return e.has({strong, weak}); },
            nb::arg("strong"), nb::arg("weak"),
            "Whether the table of `strong` against `weak` tokens was added.")
        .def(
            "probe", [](const EndgameTables& e, const S& s) { return e.probe(s.position().board()); },
            nb::arg("state"), "The value of a state, or None if no table contains it.")
        .def("solve", &solve, nb::arg("strong"), nb::arg("weak"),
             "Computes a table by retrograde analysis, one signed byte for each position index; -128 marks "
             "indices without a position.\n\nThe tables "
             "of fewer tokens must have been added. Raises ParseError.")
        .def(
            "count_errors",
            [](const EndgameTables& e, int strong, int weak) {
                const EndgameTables tables = e;
                nb::gil_scoped_release release;
                return expendibots::count_errors({strong, weak}, tables);
            },
            nb::arg("strong"), nb::arg("weak"),
            "The number of positions of a table whose value does not follow "
            "from the values of their successors.");
}

}  // namespace sparring::bindings
