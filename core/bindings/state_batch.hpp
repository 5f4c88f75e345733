// The class <Game>States: many states as one object, encoded and decoded without a Python object for each.
#pragma once

#include "bindings/sample_encoding.hpp"

namespace sparring::bindings {

template <GamePosition P>
struct StateBatch {
    std::vector<State<P>> states;
};

/// The probabilities of all states' legal moves in one array, and the offsets of each state's.
template <GamePosition P>
nb::tuple decode_batch(const StateBatch<P>& batch, const Logits& logits, const std::string& encoding) {
    const auto& encoder = checked_encoder<P>(encoding, 1, false);
    if (logits.shape(0) != batch.states.size()) throw nb::value_error("one row of logits a state expected");
    Policies policies_of_states;
    {
        nb::gil_scoped_release release;
        policies_of_states = policies(batch.states, logits, label_logit<P>(encoder, logits.shape(1)));
    }
    std::vector<std::int64_t> offsets{0};
    offsets.insert(offsets.end(), policies_of_states.ends.begin(), policies_of_states.ends.end());
    return nb::make_tuple(copied(policies_of_states.probabilities), copied(offsets));
}

template <GamePosition P>
void bind_states(nb::module_& m, const char* name) {
    using B = StateBatch<P>;
    nb::class_<B>(m, name,
                  "A batch of states: a sequence that encodes and decodes without a Python object each.")
        .def(
            "__init__", [](B* self, std::vector<State<P>> states) { new (self) B{std::move(states)}; },
            nb::arg("states"), "The batch of these states.")
        .def("__len__", [](const B& batch) { return batch.states.size(); })
        .def(
            "__getitem__",
            [](const B& batch, std::size_t index) {
                if (index >= batch.states.size()) throw nb::index_error("state index out of range");
                return batch.states[index];
            },
            nb::arg("index"))
        .def(
            "take",
            [](const B& batch, const Indices& which) {
                B some;
                for (std::size_t i = 0; i < which.shape(0); ++i) {
                    const auto at = static_cast<std::size_t>(which.data()[i]);
                    if (at >= batch.states.size()) throw nb::index_error("state index out of range");
                    some.states.push_back(batch.states[at]);
                }
                return some;
            },
            nb::arg("which"), "The states with these indices, int64 [n]. Raises IndexError.")
        .def_prop_ro(
            "to_move",
            [](const B& batch) {
                return column<std::int8_t>(batch.states, [](const State<P>& s) {
                    return static_cast<std::int8_t>(s.position().side());
                });
            },
            nb::rv_policy::move, "The player to move, 0 or 1: int8 [states].")
        .def_prop_ro(
            "plies",
            [](const B& batch) {
                return column<std::int32_t>(
                    batch.states, [](const State<P>& s) { return static_cast<std::int32_t>(s.node().ply); });
            },
            nb::rv_policy::move, "Moves played before each state: int32 [states].")
        .def(
            "encode",
            [](const B& batch, const std::string& encoding, int history) {
                return encode_states<P>(batch.states, encoding, history);
            },
            nb::arg("encoding"), nb::arg("history"),
            nb::sig("def encode(self, encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]"),
            "The encoding of the states, [states, ...]. Raises ValueError.")
        .def("decode", &decode_batch<P>, nb::arg("logits"), nb::arg("encoding"),
             nb::sig("def decode(self, logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> "
                     "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]"),
             "A softmax over the labels of the legal moves.\n\n"
             "`logits` float32 [states, labels]. Returns the probabilities of all legal moves, state after "
             "state and ascending, and the offsets int64 [states + 1] of each state's. Raises ValueError.");
}

}  // namespace sparring::bindings
