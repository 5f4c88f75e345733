// The class <Game>Network: a small value network for searches on a CPU.
#pragma once

#include <nanobind/stl/shared_ptr.h>

#include <span>

#include "bindings/state_batch.hpp"
#include "search/value_network.hpp"

namespace sparring::bindings {

using FloatMatrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using FloatVector = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
std::span<const float> numbers_of(const Array& array) {
    return {array.data(), array.size()};
}

/// The indices of the places of each state, padded with Inputs::places, and the measured numbers.
template <GamePosition P, class Inputs>
nb::tuple network_inputs(const std::vector<State<P>>& states) {
    constexpr std::size_t most = Inputs::most_places, numbers = Inputs::numbers;
    const Zeros<std::int64_t> places(states.size() * most);
    const Zeros<float> measured(states.size() * numbers);
    for (std::size_t i = 0; i < states.size(); ++i) {
        const auto& subject = Inputs::subject(states[i].position());
        std::int64_t* row = places.data() + i * most;
        std::fill(row, row + most, Inputs::places);
        Inputs::for_each_place(subject, [&](int place) { *row++ = place; });
        const auto values = Inputs::measure(subject);
        std::copy(values.begin(), values.end(), measured.data() + i * numbers);
    }
    return nb::make_tuple(places.array(places.data(), {states.size(), most}),
                          measured.array(measured.data(), {states.size(), numbers}));
}

template <GamePosition P, class Inputs>
void bind_value_network(nb::module_& m, const char* name, const char* doc) {
    using N = search::ValueNetwork<Inputs>;
    nb::class_<N>(m, name, doc)
        .def(
            "__init__",
            [](N* self, const FloatMatrix& places, const FloatMatrix& measured, const FloatVector& first_bias,
               const FloatMatrix& between, const FloatVector& second_bias, const FloatVector& last,
               float last_bias) {
                new (self) N({static_cast<int>(first_bias.size()), static_cast<int>(second_bias.size()),
                              numbers_of(places), numbers_of(measured), numbers_of(first_bias),
                              numbers_of(between), numbers_of(second_bias), numbers_of(last), last_bias});
            },
            nb::arg("places"), nb::arg("measured"), nb::arg("first_bias"), nb::arg("between"),
            nb::arg("second_bias"), nb::arg("last"), nb::arg("last_bias"),
            "Weights as float32 [inputs, units], biases as [units]. "
            "Raises ParseError if the sizes do not match.")
        .def_ro_static("places", &N::places, "The number of one-hot inputs.")
        .def_ro_static("numbers", &N::numbers, "The number of measured inputs.")
        .def(
            "value", [](const N& n, const State<P>& s) { return n.value(Inputs::subject(s.position())); },
            nb::arg("state"), "The value of a state for its side to move, from -1 to 1.")
        .def_static("inputs", &network_inputs<P, Inputs>, nb::arg("states"),
                    nb::sig("def inputs(states: collections.abc.Sequence[typing.Any]) -> "
                            "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]"),
                    "The indices of the one-hot inputs, int64 [states, most], padded with `places`, and the "
                    "measured inputs, float32 [states, numbers].")
        .def_static(
            "batch_inputs",
            [](const StateBatch<P>& batch) { return network_inputs<P, Inputs>(batch.states); },
            nb::arg("states"),
            nb::sig("def batch_inputs(states: typing.Any) -> "
                    "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]"),
            "`inputs` of a batch of states, such as a <Game>States.");
}

}  // namespace sparring::bindings
