// How a board may be turned, for networks that look at a position from every side.
#include "records/symmetry.hpp"

#include "bindings/games.hpp"
#include "bindings/policy.hpp"

namespace sparring::bindings {

namespace {

template <GamePosition P>
int symmetries(const State<P>& state) {
    return records::Symmetry<P>::holds(state.position()) ? records::Symmetry<P>::count : 1;
}

template <GamePosition P>
void check(const State<P>& state, int symmetry) {
    if (symmetry < 0 || symmetry >= symmetries(state)) {
        throw nb::value_error(("this position has no symmetry " + std::to_string(symmetry)).c_str());
    }
}

template <GamePosition P>
nb::ndarray<nb::numpy, std::int64_t> transformed_cells(const State<P>& state, int symmetry) {
    check(state, symmetry);
    const auto [planes, rows, columns] = state.position().shape();
    const std::size_t cells = rows * columns;
    const Zeros<std::int64_t> block(cells);
    for (std::size_t i = 0; i < cells; ++i) {
        const int cell = static_cast<int>(i);
        block.data()[i] = symmetry == 0 ? cell : records::Symmetry<P>::cell(state.position(), symmetry, cell);
    }
    return block.array(block.data(), {cells});
}

template <GamePosition P>
nb::ndarray<nb::numpy, std::int64_t> transformed_moves(const State<P>& state, int symmetry) {
    check(state, symmetry);
    MoveList list;
    state.legal_moves(list);
    const Zeros<std::int64_t> block(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        block.data()[i] =
            symmetry == 0 ? list[i] : records::Symmetry<P>::move(state.position(), symmetry, list[i]);
    }
    return block.array(block.data(), {list.size()});
}

template <GamePosition P>
void bind(nb::module_& m) {
    m.def("symmetries", &symmetries<P>, nb::arg("state"),
          "In how many ways the board can be turned or mirrored and be the same game, itself included.");
    m.def("transformed_cells", &transformed_cells<P>, nb::arg("state"), nb::arg("symmetry"),
          "Where a symmetry takes each cell of the planes. Raises ValueError.");
    m.def("transformed_moves", &transformed_moves<P>, nb::arg("state"), nb::arg("symmetry"),
          "The codes of the legal moves, in ascending order of the moves themselves, on the turned board. "
          "Raises ValueError.");
}

}  // namespace

void bind_symmetry(nb::module_& m) {
    bind<chess::Position>(m);
    bind<rbc::Position>(m);
    bind<shogi::Position>(m);
    bind<go::Position>(m);
    bind<expendibots::Position>(m);
    bind<breakthrough::Position>(m);
}

}  // namespace sparring::bindings
