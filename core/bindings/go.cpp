#include <nanobind/stl/pair.h>

#include "bindings/puct_forest.hpp"
#include "bindings/puct_tree.hpp"
#include "bindings/samples.hpp"
#include "bindings/state.hpp"
#include "bindings/symmetry.hpp"
#include "go/encoding.hpp"
#include "go/playout.hpp"
#include "go/playout_ownership.hpp"
#include "go/position.hpp"

namespace sparring::bindings {

namespace {

using go::Position;
using S = State<Position>;

S initial(int size, double komi, std::string_view ko, bool suicide, std::string_view scoring,
          std::string_view tax, int handicap) {
    return S(Position(
        size,
        {go::komi_halves(komi), go::parse_ko(ko), go::parse_scoring(scoring), suicide, go::parse_tax(tax)},
        handicap));
}

std::pair<double, double> score(const S& s, const std::vector<int>& dead) {
    const go::Score score = s.position().score(dead);
    return {static_cast<double>(score.black) / 2, static_cast<double>(score.white) / 2};
}

/// The points of Black's and of White's stones.
std::pair<std::vector<int>, std::vector<int>> stones(const S& s) {
    std::pair<std::vector<int>, std::vector<int>> result;
    const go::Board& board = s.position().board();
    for (int p = 0; p < board.points(); ++p) {
        const go::Color there = board.at(static_cast<go::Point>(p));
        if (there != go::empty) (there == go::black ? result.first : result.second).push_back(p);
    }
    return result;
}

}  // namespace

void bind_katago(nb::module_& m);  // katago.cpp

void bind_go(nb::module_& m) {
    auto state = bind_state<Position>(m, "GoState",
                                      "A Go position with its rules, and the line of play before it. Points "
                                      "are y * size + x from A1; the pass is size * size.");
    state
        .def_static(
            "initial", &initial, nb::arg("size") = 19, nb::arg("komi") = 7.5, nb::arg("ko") = "positional",
            nb::arg("suicide") = false, nb::arg("scoring") = "area", nb::arg("tax") = "none",
            nb::arg("handicap") = 0,
            "The empty board, or one with handicap stones, by these rules.\n\n`size` 2 to 19; `komi` in "
            "points, a multiple of 0.5; `ko` positional, situational or simple; `scoring` area or territory; "
            "`tax` none, seki or all; `handicap` stones as in GTP's fixed_handicap. Raises ParseError.")
        .def_prop_ro(
            "size", [](const S& s) { return s.position().size(); }, "The number of rows and columns.")
        .def_prop_ro(
            "komi", [](const S& s) { return s.position().rules().komi / 2.0; },
            "White's compensation in points.")
        .def_prop_ro(
            "ko", [](const S& s) { return std::string(name(s.position().rules().ko)); },
            "The ko rule: positional, situational or simple.")
        .def_prop_ro(
            "suicide", [](const S& s) { return s.position().rules().suicide; },
            "Whether suicide of two or more stones is legal.")
        .def_prop_ro(
            "scoring", [](const S& s) { return std::string(name(s.position().rules().scoring)); },
            "The scoring rule: area or territory.")
        .def_prop_ro(
            "tax", [](const S& s) { return std::string(name(s.position().rules().tax)); },
            "The group tax: none, seki or all.")
        .def_prop_ro("stones", &stones, "The points of Black's and of White's stones.")
        .def_prop_ro(
            "ko_point",
            [](const S& s) -> nb::object {
                const go::Point p = s.position().ko_point();
                return p == go::no_point ? nb::none() : nb::cast(static_cast<int>(p));
            },
            nb::sig("def ko_point(self) -> int | None"),
            "The point on which the simple ko rule forbids the player to move to capture, or None.")
        .def_prop_ro(
            "prisoners",
            [](const S& s) { return std::pair(s.position().prisoners(0), s.position().prisoners(1)); },
            "Stones captured by Black and by White, including those that the other lost by suicide.")
        .def_prop_ro(
            "passes", [](const S& s) { return s.position().passes(); },
            "The number of consecutive passes; two end the game.")
        .def("score", &score, nb::arg("dead") = nb::make_tuple(),
             nb::sig("def score(self, dead: collections.abc.Sequence[int] = ()) -> tuple[float, float]"),
             "The scores of Black and White, komi included, if the game ended here.\n\nChains with a stone "
             "on a point of `dead` are removed as prisoners; all others count as alive. Raises ValueError if "
             "a point of `dead` is empty.")
        .def(
            "playout_ownership",
            [](const S& s, int playouts, std::uint64_t seed) {
                if (playouts < 1 || playouts > 100'000)
                    throw std::invalid_argument("playouts: 1 to 100,000 expected");
                nb::gil_scoped_release release;
                return go::playout_ownership(s.position(), seed, playouts);
            },
            nb::arg("playouts"), nb::arg("seed"),
            "The mean owner of every point after random playouts, [points]: 1 for Black, -1 for "
            "White.\n\nThe playouts fill no own eyes. Raises ValueError.");
    bind_symmetry(state);
    bind_puct_tree(m, state, "GoTree");
    bind_states<Position>(m, "GoStates");
    bind_puct_forest<Position>(m, "GoForest");
    bind_samples<Position>(m, "GoSamples");
    bind_katago(m);
}

}  // namespace sparring::bindings
