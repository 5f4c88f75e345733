#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "game/errors.hpp"
#include "game/outcome.hpp"

namespace nb = nanobind;
using namespace sparring;

/// Every game: bindings/<game>.cpp defines bind_<game>.
#define SPARRING_GAMES(DO) DO(chess) DO(rbc) DO(expendibots) DO(breakthrough) DO(shogi) DO(go)

namespace sparring::bindings {

void bind_alphabeta(nb::module_& m);  // alphabeta.cpp
void bind_puct(nb::module_& m);       // puct.cpp
void bind_records(nb::module_& m);    // records.cpp

#define SPARRING_DECLARE(game) void bind_##game(nb::module_& m);
SPARRING_GAMES(SPARRING_DECLARE)
#undef SPARRING_DECLARE

}  // namespace sparring::bindings

NB_MODULE(_core, m) {
    m.doc() = "Sparring's native core: rules, encoders and searches.";
#ifdef NDEBUG
    // Objects that Python modules hold until the interpreter exits are no leaks worth a message to the user.
    nb::set_leak_warnings(false);
#endif

    const nb::tuple bases = nb::make_tuple(nb::module_::import_("sparring.base.errors").attr("SparringError"),
                                           nb::handle(PyExc_ValueError));
    nb::exception<ParseError>(m, "ParseError", bases);
    nb::exception<IllegalMove>(m, "IllegalMove", bases);

    nb::class_<Outcome>(m, "Outcome", "The result of a finished game.")
        .def_prop_ro(
            "winner",
            [](const Outcome& o) {
                return o.winner == Outcome::no_winner ? std::nullopt : std::optional<int>(o.winner);
            },
            "The winning player, 0 or 1; None for a draw.")
        .def_prop_ro(
            "reason", [](const Outcome& o) { return std::string(o.reason); },
            "The rule that ended the game, such as 'checkmate'.")
        .def(
            "score",
            [](const Outcome& o, int side) {
                if (side != 0 && side != 1) throw nb::value_error("a side is 0 or 1");
                return o.winner == Outcome::no_winner ? 0.5 : o.winner == side ? 1.0 : 0.0;
            },
            nb::arg("side"), "The score of player 0 or 1: 1 for a win, 0.5 for a draw, 0 for a loss.")
        .def(
            "__eq__",
            [](const Outcome& a, nb::handle b) {
                return nb::isinstance<Outcome>(b) && a == nb::cast<const Outcome&>(b);
            },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__",
             [](const Outcome& o) {
                 return static_cast<Py_hash_t>(std::hash<std::string_view>{}(o.reason) >> 2) + o.winner;
             })
        .def("__repr__", [](const Outcome& o) {
            return "Outcome(winner=" +
                   (o.winner == Outcome::no_winner ? std::string("None") : std::to_string(o.winner)) +
                   ", reason='" + std::string(o.reason) + "')";
        });

    bindings::bind_alphabeta(m);
    bindings::bind_puct(m);
    bindings::bind_records(m);
#define SPARRING_BIND(game) bindings::bind_##game(m);
    SPARRING_GAMES(SPARRING_BIND)
#undef SPARRING_BIND
}
