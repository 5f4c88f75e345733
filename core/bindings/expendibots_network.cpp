// The class ExpendibotsNetwork.
#include <nanobind/stl/shared_ptr.h>

#include <span>

#include "bindings/policy.hpp"
#include "expendibots/network.hpp"
#include "expendibots/position.hpp"

namespace sparring::bindings {

namespace {

using expendibots::Network;
using S = State<expendibots::Position>;
using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
std::span<const float> numbers(const Array& array) {
    return {array.data(), array.size()};
}

constexpr std::size_t most_stacks = 2 * expendibots::max_tokens;

/// The input indices of the stacks, padded with Network::places, and the measured features.
nb::tuple inputs(const std::vector<S>& states) {
    const Zeros<std::int64_t> places(states.size() * most_stacks);
    const Zeros<float> measured(states.size() * Network::numbers);
    for (std::size_t i = 0; i < states.size(); ++i) {
        const expendibots::Board& board = states[i].position().board();
        std::int64_t* row = places.data() + i * most_stacks;
        std::fill(row, row + most_stacks, Network::places);
        for (expendibots::Bitboard stacks = board.occupied(); stacks;) {
            *row++ = Network::place(board, expendibots::pop_lsb(stacks));
        }
        const auto numbers = expendibots::measure(board);
        std::copy(numbers.begin(), numbers.end(), measured.data() + i * Network::numbers);
    }
    return nb::make_tuple(places.array(places.data(), {states.size(), most_stacks}),
                          measured.array(measured.data(), {states.size(), std::size_t{Network::numbers}}));
}

}  // namespace

void bind_expendibots_network(nb::module_& m) {
    nb::class_<Network>(m, "ExpendibotsNetwork",
                        "A value network with two hidden layers and tanh output. Inputs are the stacks, "
                        "one-hot, and measured features.")
        .def(
            "__init__",
            [](Network* self, const Matrix& stacks, const Matrix& measured, const Vector& first_bias,
               const Matrix& between, const Vector& second_bias, const Vector& last, float last_bias) {
                new (self) Network({static_cast<int>(first_bias.size()), static_cast<int>(second_bias.size()),
                                    numbers(stacks), numbers(measured), numbers(first_bias), numbers(between),
                                    numbers(second_bias), numbers(last), last_bias});
            },
            nb::arg("stacks"), nb::arg("measured"), nb::arg("first_bias"), nb::arg("between"),
            nb::arg("second_bias"), nb::arg("last"), nb::arg("last_bias"),
            "Weights as float32 [inputs, units], biases as [units]. "
            "Raises ParseError if the sizes do not match.")
        .def_ro_static("places", &Network::places, "The number of one-hot inputs of stacks.")
        .def_ro_static("numbers", &Network::numbers, "The number of measured features.")
        .def(
            "value", [](const Network& n, const S& s) { return n.value(s.position().board()); },
            nb::arg("state"), "The value of a state for its side to move, from -1 to 1.")
        .def_static("inputs", &inputs, nb::arg("states"),
                    nb::sig("def inputs(states: collections.abc.Sequence[ExpendibotsState]) -> "
                            "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]"),
                    "The input indices of the stacks, int64 [states, 24], padded with `places`, and the "
                    "measured features, float32 [states, numbers].");
}

}  // namespace sparring::bindings
