// Board symmetries as methods of a state.
#pragma once

#include <string>

#include "bindings/policy.hpp"
#include "game/symmetry.hpp"

namespace sparring::bindings {

template <GamePosition P>
int symmetries(const State<P>& state) {
    return Symmetry<P>::holds(state.position()) ? Symmetry<P>::count : 1;
}

template <GamePosition P>
void check_symmetry(const State<P>& state, int symmetry) {
    if (symmetry < 0 || symmetry >= symmetries(state)) {
        throw nb::value_error(("this position has no symmetry " + std::to_string(symmetry)).c_str());
    }
}

template <GamePosition P>
nb::ndarray<nb::numpy, std::int64_t> transformed_cells(const State<P>& state, int symmetry) {
    check_symmetry(state, symmetry);
    const auto [planes, rows, columns] = state.position().shape();
    const std::size_t cells = rows * columns;
    const Zeros<std::int64_t> block(cells);
    for (std::size_t i = 0; i < cells; ++i) {
        const int cell = static_cast<int>(i);
        block.data()[i] = symmetry == 0 ? cell : Symmetry<P>::cell(state.position(), symmetry, cell);
    }
    return block.array(block.data(), {cells});
}

template <GamePosition P>
nb::ndarray<nb::numpy, std::int64_t> transformed_moves(const State<P>& state, int symmetry) {
    check_symmetry(state, symmetry);
    MoveList list;
    state.legal_moves(list);
    const Zeros<std::int64_t> block(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        block.data()[i] = symmetry == 0 ? list[i] : Symmetry<P>::move(state.position(), symmetry, list[i]);
    }
    return block.array(block.data(), {list.size()});
}

template <GamePosition P>
void bind_symmetry(nb::class_<State<P>>& state) {
    state
        .def_prop_ro("symmetries", &symmetries<P>,
                     "The number of board symmetries that apply to this position, the identity included.")
        .def("transformed_cells", &transformed_cells<P>, nb::arg("symmetry"), nb::rv_policy::move,
             nb::sig("def transformed_cells(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]"),
             "The image of each cell of the planes, row by row: int64 [rows * columns].\n\n"
             "`symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.")
        .def("transformed_moves", &transformed_moves<P>, nb::arg("symmetry"), nb::rv_policy::move,
             nb::sig("def transformed_moves(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]"),
             "The image of each legal move, in the order of `legal_moves`: int64 [legal moves].\n\n"
             "`symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.");
}

}  // namespace sparring::bindings
