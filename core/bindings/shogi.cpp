#include "bindings/material_search.hpp"
#include "bindings/puct_forest.hpp"
#include "bindings/puct_tree.hpp"
#include "bindings/samples.hpp"
#include "bindings/state.hpp"
#include "bindings/symmetry.hpp"
#include "shogi/encoding.hpp"
#include "shogi/evaluation.hpp"
#include "shogi/hcp.hpp"
#include "shogi/position.hpp"

namespace sparring::bindings {

void bind_dlshogi(nb::module_& m);  // dlshogi.cpp

void bind_shogi(nb::module_& m) {
    using shogi::Position;
    using S = State<Position>;
    auto state = bind_state<Position>(m, "ShogiState", "A shogi position and the line of play before it.");
    state.def_static("initial", [] { return S(Position()); })
        .def_prop_ro(
            "in_check", [](const S& s) { return s.position().in_check(); },
            "Whether the side to move is in check.")
        .def_prop_ro(
            "repetitions", [](const S& s) { return occurrences(s.node(), s.node().ply); },
            "The number of times this position has occurred in the line, this time included.");
    bind_alphabeta(state);
    bind_symmetry(state);
    bind_puct_tree(m, state, "ShogiTree");
    bind_states<Position>(m, "ShogiStates");
    bind_puct_forest<Position>(m, "ShogiForest");
    bind_samples<Position>(m, "ShogiSamples");
    bind_dlshogi(m);
    m.def(
        "hcp_to_sfen",
        [](nb::bytes hcp) { return shogi::hcp_to_sfen(std::string_view(hcp.c_str(), hcp.size())); },
        nb::arg("hcp"), "The SFEN of a Huffman coded position (HCP) of 32 bytes. Raises ParseError.");
    m.def("move16_to_usi", &shogi::move16_to_usi, nb::arg("move"),
          "The USI text of a 16-bit move of Apery, dlshogi or cshogi. Raises ParseError.");
}

}  // namespace sparring::bindings
