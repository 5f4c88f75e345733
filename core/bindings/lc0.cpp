#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>
#include <vector>

#include "bindings/policy.hpp"
#include "chess/lc0.hpp"

namespace sparring::bindings {

namespace lc0 = chess::lc0;

using States = std::vector<State<chess::Position>>;
using Planes = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, lc0::planes, 8, 8>>;

static Planes lc0_encode(const States& states) {
    constexpr std::size_t size = lc0::planes * lc0::squares;
    auto data = std::make_unique_for_overwrite<std::uint8_t[]>(states.size() * size);
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < states.size(); ++i) lc0::encode(states[i].node(), data.get() + i * size);
    }
    std::uint8_t* bytes = data.release();
    nb::capsule owner(bytes, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
    return Planes(bytes, {states.size(), lc0::planes, 8, 8}, owner);
}

static nb::tuple lc0_decode(const States& states, const Logits& logits) {
    return decode(states, logits, lc0::policy_size,
                  [](const chess::Position& p, Move move, const float* row) {
                      return static_cast<double>(row[lc0::policy_index(p.board(), move)]);
                  });
}

static std::vector<std::tuple<int, int, int>> lc0_policy_moves() {
    std::vector<std::tuple<int, int, int>> moves;
    for (const auto& move : lc0::policy_moves()) moves.emplace_back(move.from, move.to, move.promotion);
    return moves;
}

void bind_lc0(nb::module_& m) {
    m.def("lc0_encode", &lc0_encode, nb::arg("states"),
          nb::sig("def lc0_encode(states: Sequence[ChessState]) -> NDArray[numpy.uint8]"),
          "The inputs of Lc0 networks: uint8 [states, 112, 8, 8]. Plane 109 is the halfmove clock, all "
          "others are 0 or 1.");
    m.def("lc0_decode", &lc0_decode, nb::arg("states"), nb::arg("logits"),
          nb::sig("def lc0_decode(states: Sequence[ChessState], logits: NDArray[numpy.float32]) -> "
                  "tuple[list[tuple[int, ...]], NDArray[numpy.float32]]"),
          "Each state's legal moves, ascending, and the probabilities of all of them in one float32 array, "
          "one state after the other.\n\n`logits` float32 [states, 1858]. Raises ValueError if the shape is "
          "wrong or a logit is NaN.");
    m.def("lc0_policy_moves", &lc0_policy_moves,
          "The 1858 policy entries: from-square, to-square and promotion (4 queen, 3 rook, 2 bishop, 0 none "
          "or knight), as the side to move sees the board.");
}

}  // namespace sparring::bindings
