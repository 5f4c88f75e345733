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
        const EndgameTables smaller = endgames;  // what others add meanwhile does not matter
        nb::gil_scoped_release release;
        values = expendibots::solve({strong, weak}, smaller);
    }
    return nb::bytes(values.data(), values.size());
}

}  // namespace

void bind_expendibots_endgames(nb::module_& m) {
    nb::class_<EndgameTables>(
        m, "ExpendibotsEndgameTables",
        "Endgame tables. A value is what the side to move gets: +d wins in d actions, -d "
        "loses in d, 0 draws.")
        .def(nb::init<>())
        .def("add", &add, nb::arg("strong"), nb::arg("weak"), nb::arg("values"),
             "Takes the table of so many tokens against so many, a signed byte a place. Raises ParseError.")
        .def(
            "has", [](const EndgameTables& e, int strong, int weak) { return e.has({strong, weak}); },
            nb::arg("strong"), nb::arg("weak"), "Whether it has the table.")
        .def(
            "probe", [](const EndgameTables& e, const S& s) { return e.probe(s.position().board()); },
            nb::arg("state"), "The value of a state, where a table has it.")
        .def("solve", &solve, nb::arg("strong"), nb::arg("weak"),
             "The values of a table by retrograde analysis, from the tables of fewer tokens that were added. "
             "Places without a position are -128. Raises ParseError.")
        .def(
            "count_errors",
            [](const EndgameTables& e, int strong, int weak) {
                const EndgameTables tables = e;
                nb::gil_scoped_release release;
                return expendibots::count_errors({strong, weak}, tables);
            },
            nb::arg("strong"), nb::arg("weak"),
            "How many positions of a table have another value than their successors give them.");
}

}  // namespace sparring::bindings
