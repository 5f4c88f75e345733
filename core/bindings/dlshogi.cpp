#include "shogi/dlshogi.hpp"

#include <nanobind/stl/optional.h>

#include "bindings/policy.hpp"

namespace sparring::bindings {

void bind_dlshogi(nb::module_& m) {
    namespace dlshogi = shogi::dlshogi;
    using S = State<shogi::Position>;
    m.def(
        "dlshogi_encode",
        [](const std::vector<S>& states) {
            // One block for both arrays: alternating sizes make the allocator return memory to the system
            // each time.
            constexpr std::size_t pieces_size = dlshogi::board_planes * dlshogi::plane_size;
            constexpr std::size_t hands_size = dlshogi::hand_planes * dlshogi::plane_size;
            const std::size_t count = states.size();
            const Zeros<float> block(count * (pieces_size + hands_size));
            float* pieces = block.data();
            float* hands = pieces + count * pieces_size;
            {
                nb::gil_scoped_release release;
                for (std::size_t i = 0; i < count; ++i) {
                    dlshogi::encode(states[i].position().board(), pieces + i * pieces_size,
                                    hands + i * hands_size);
                }
            }
            return std::tuple(block.array(pieces, {count, dlshogi::board_planes, 9, 9}),
                              block.array(hands, {count, dlshogi::hand_planes, 9, 9}));
        },
        nb::arg("states"),
        "The two inputs of dlshogi networks: float32 [states, 62, 9, 9] (pieces and attacks) and [states, "
        "57, 9, 9] (hands, check).");
    m.def(
        "dlshogi_decode",
        [](const std::vector<S>& states, const Logits& logits) {
            return decode(states, logits, dlshogi::labels,
                          [](const shogi::Position& p, Move move, const float* row) {
                              const auto label = dlshogi::label(p.board(), move);
                              return label ? static_cast<double>(row[*label]) : certain;
                          });
        },
        nb::arg("states"), nb::arg("logits"),
        nb::sig("def dlshogi_decode(states: collections.abc.Sequence[ShogiState], logits: "
                "numpy.typing.NDArray[numpy.float32]) -> tuple[list[tuple[int, ...]], "
                "numpy.typing.NDArray[numpy.float32]]"),
        "Each state's legal moves, ascending, and the probabilities of all of them in one float32 array, one "
        "state after the other.\n\n`logits` float32 [states, 2187]. The declaration of a win, if legal, gets "
        "all of the probability. Raises ValueError if the shape is wrong or a logit is NaN.");
    m.def(
        "dlshogi_label",
        [](const S& state, int move) -> std::optional<std::size_t> {
            MoveList list;
            state.legal_moves(list);
            if (!list.contains(checked(move))) throw IllegalMove("not a legal move: " + std::to_string(move));
            return dlshogi::label(state.position().board(), checked(move));
        },
        nb::arg("state"), nb::arg("move"),
        "The policy label of a legal move, or None for the declaration of a win. Raises IllegalMove.");
    m.def(
        "dlshogi_move",
        [](const S& state, std::size_t label) -> std::optional<int> {
            MoveList list;
            state.legal_moves(list);
            const auto move = dlshogi::move(state.position().board(), label);
            if (!move || !list.contains(*move)) return {};
            return *move;
        },
        nb::arg("state"), nb::arg("label"), "The legal move of a policy label, or None.");
}

}  // namespace sparring::bindings
