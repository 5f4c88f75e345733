#include <nanobind/stl/pair.h>

#include "bindings/state.hpp"
#include "go/katago_features.hpp"
#include "go/katago_outputs.hpp"

namespace sparring::bindings {

namespace {

namespace katago = go::katago;
using go::Position;
using S = State<Position>;
using States = std::vector<S>;  // copies: the caller's list may change while the lock is released
using Floats = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using Logits = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

States states_of(const nb::sequence& sequence) {
    States states;
    for (const nb::handle state : sequence) {
        if (!nb::isinstance<S>(state)) throw nb::type_error("states of Go expected");
        states.push_back(nb::cast<const S&>(state));
    }
    return states;
}

template <class Array>
Array new_array(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t n : shape) size *= n;
    auto* data = new float[std::max<std::size_t>(size, 1)];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    return Array(data, shape, owner);
}

void check_sizes(const States& states, int board_size) {
    if (board_size < go::min_board_size || board_size > go::max_board_size)
        throw nb::value_error(("board_size " + std::to_string(board_size) + " is not a board size").c_str());
    for (const S& state : states) {
        if (state.position().size() > board_size) {
            throw nb::value_error(("a board of size " + std::to_string(state.position().size()) +
                                   " does not fit into " + std::to_string(board_size))
                                      .c_str());
        }
    }
}

void check_shape(const Logits& logits, const States& states, std::size_t columns) {
    if (logits.shape(0) != states.size() || logits.shape(1) != columns) {
        throw nb::value_error(("logits of shape [" + std::to_string(states.size()) + ", " +
                               std::to_string(columns) + "] expected, got [" +
                               std::to_string(logits.shape(0)) + ", " + std::to_string(logits.shape(1)) + "]")
                                  .c_str());
    }
}

using Planes = nb::ndarray<nb::numpy, float, nb::ndim<4>>;

std::pair<Planes, Floats> inputs(const nb::sequence& sequence, int board_size) {
    const States states = states_of(sequence);
    check_sizes(states, board_size);
    const auto edge = static_cast<std::size_t>(board_size);
    Planes spatial = new_array<Planes>({states.size(), katago::spatial_planes, edge, edge});
    Floats global = new_array<Floats>({states.size(), katago::global_inputs});
    {
        nb::gil_scoped_release release;
        thread_local katago::InputEncoder encoder;
        for (std::size_t i = 0; i < states.size(); ++i) {
            encoder.encode(states[i].node(), board_size,
                           spatial.data() + i * katago::spatial_planes * edge * edge,
                           global.data() + i * katago::global_inputs);
        }
    }
    return {spatial, global};
}

nb::list policy(const nb::sequence& sequence, const Logits& logits, int board_size) {
    const States states = states_of(sequence);
    check_sizes(states, board_size);
    check_shape(logits, states, static_cast<std::size_t>(board_size * board_size) + 1);
    nb::list result;
    MoveList moves;
    for (std::size_t i = 0; i < states.size(); ++i) {
        states[i].legal_moves(moves);
        using Row = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
        Row row = new_array<Row>({moves.size()});
        katago::policy(states[i].position(), moves, board_size, logits.data() + i * logits.shape(1),
                       row.data());
        nb::tuple codes = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(moves.size())));
        for (std::size_t k = 0; k < moves.size(); ++k)
            NB_TUPLE_SET_ITEM(codes.ptr(), static_cast<Py_ssize_t>(k), move_object(moves[k]));
        result.append(nb::make_tuple(codes, row));
    }
    return result;
}

Floats results(const nb::sequence& sequence, const Logits& logits) {
    const States states = states_of(sequence);
    check_shape(logits, states, 3);
    Floats rows = new_array<Floats>({states.size(), 3});
    for (std::size_t i = 0; i < states.size(); ++i) {
        const katago::ValueOutput result = katago::result(states[i].position(), logits.data() + 3 * i);
        float* row = rows.data() + 3 * i;
        row[0] = static_cast<float>(result.win);
        row[1] = static_cast<float>(result.no_result);
        row[2] = static_cast<float>(result.loss);
    }
    return rows;
}

}  // namespace

void bind_katago(nb::module_& m) {
    m.def("katago_encode", &inputs, nb::arg("states"), nb::arg("board_size"),
          nb::sig("def katago_encode(states: collections.abc.Sequence[GoState], board_size: int) -> "
                  "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]"),
          "The inputs of KataGo networks: float32 [states, 22, board_size, board_size] and [states, "
          "19].\n\nSmaller boards are in the first rows and columns, rows from the top. Raises ValueError if "
          "a board does not fit.");
    m.def("katago_policy", &policy, nb::arg("states"), nb::arg("logits"), nb::arg("board_size"),
          nb::sig("def katago_policy(states: collections.abc.Sequence[GoState], logits: "
                  "numpy.typing.NDArray[numpy.float32], board_size: int) -> list[tuple[tuple[int, ...], "
                  "numpy.typing.NDArray[numpy.float32]]]"),
          "The legal moves of each state, ascending, with their probabilities, float32 [moves].\n\n`logits` "
          "float32 [states, board_size * board_size + 1], the pass last. Raises ValueError.");
    m.def("katago_values", &results, nb::arg("states"), nb::arg("logits"),
          nb::sig("def katago_values(states: collections.abc.Sequence[GoState], logits: "
                  "numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]"),
          "Probabilities of win, no result and loss for the player to move: float32 [states, 3].\n\n`logits` "
          "float32 [states, 3]: win, loss, no result. Raises ValueError.");
}

}  // namespace sparring::bindings
