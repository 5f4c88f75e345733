#include "chess/maia3.hpp"

#include "bindings/policy.hpp"

namespace sparring::bindings {

void bind_maia3(nb::module_& m) {
    namespace maia3 = chess::maia3;
    using S = State<chess::Position>;
    m.def(
        "maia3_encode",
        [](const std::vector<S>& states) {
            constexpr std::size_t size = maia3::squares * maia3::token_size;
            const Zeros<float> block(states.size() * size);
            {
                nb::gil_scoped_release release;
                for (std::size_t i = 0; i < states.size(); ++i) {
                    maia3::encode(states[i].node(), block.data() + i * size);
                }
            }
            return block.array(block.data(), {states.size(), maia3::squares, maia3::token_size});
        },
        nb::arg("states"),
        "The inputs of Maia-3: float32 [states, 64, 96], a token for each square with the pieces of the last "
        "eight boards.");
    m.def(
        "maia3_decode",
        [](const std::vector<S>& states, const Logits& logits) {
            return decode(states, logits, maia3::labels,
                          [](const chess::Position& p, Move move, const float* row) {
                              return static_cast<double>(row[maia3::label(p.board(), move)]);
                          });
        },
        nb::arg("states"), nb::arg("logits"),
        nb::sig("def maia3_decode(states: collections.abc.Sequence[ChessState], logits: "
                "numpy.typing.NDArray[numpy.float32]) -> tuple[list[tuple[int, ...]], "
                "numpy.typing.NDArray[numpy.float32]]"),
        "Each state's legal moves, ascending, and the probabilities of all of them in one float32 array, one "
        "state after the other.\n\n`logits` float32 [states, 4352]. Raises ValueError if the shape is wrong "
        "or a logit is NaN.");
}

}  // namespace sparring::bindings
