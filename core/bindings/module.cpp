#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "bindings/games.hpp"
#include "game/errors.hpp"
#include "game/outcome.hpp"

namespace nb = nanobind;
using namespace sparring;

NB_MODULE(_core, m) {
    m.doc() = "Sparring's native core: rules, encoders and trees.";

    nb::exception<ParseError>(m, "ParseError", PyExc_ValueError);
    nb::exception<IllegalMove>(m, "IllegalMove", PyExc_ValueError);

    nb::class_<Outcome>(m, "Outcome", "How a game ended: a draw when nobody won.")
        .def_prop_ro(
            "winner",
            [](const Outcome& o) {
                return o.winner == Outcome::no_winner ? std::nullopt : std::optional<int>(o.winner);
            },
            "0 or 1, or None for a draw.")
        .def_prop_ro("reason", [](const Outcome& o) { return std::string(reason_name(o.reason)); })
        .def(
            "__eq__",
            [](const Outcome& a, nb::handle b) {
                return nb::isinstance<Outcome>(b) && a == nb::cast<const Outcome&>(b);
            },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Outcome& o) { return static_cast<int>(o.reason) * 4 + o.winner + 1; })
        .def("__repr__", [](const Outcome& o) {
            return "Outcome(winner=" +
                   (o.winner == Outcome::no_winner ? std::string("None") : std::to_string(o.winner)) +
                   ", reason='" + reason_name(o.reason) + "')";
        });

    bindings::bind_searcher(m);
    bindings::bind_chess(m);
    bindings::bind_rbc(m);
    bindings::bind_expendibots(m);
    bindings::bind_breakthrough(m);
    bindings::bind_shogi(m);
    bindings::bind_go(m);
    bindings::bind_records(m);
    bindings::bind_batches(m);
    bindings::bind_maia3(m);
    bindings::bind_dlshogi(m);
    bindings::bind_katago(m);
    bindings::bind_lc0(m);
    bindings::bind_symmetry(m);
    bindings::bind_puct(m);
}
