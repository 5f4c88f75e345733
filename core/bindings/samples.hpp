// The class <Game>Samples: positions of recorded games, unpacked from a table and encoded in batches.
#pragma once

#include <nanobind/stl/optional.h>

#include "bindings/sample_encoding.hpp"

namespace sparring::bindings {

using records::PackedGame;

using LimitArray = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

inline std::vector<PackedGame> packed_games(const std::vector<std::string>& starts,
                                            const std::vector<nb::bytes>& moves,
                                            const std::vector<std::optional<nb::bytes>>& clocks,
                                            const LimitArray& limits) {
    if (starts.size() != moves.size() || clocks.size() != moves.size() || limits.shape(0) != moves.size()) {
        throw nb::value_error("starts, moves, clocks and limits must have the same length");
    }
    std::vector<PackedGame> games(moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
        games[i].start = starts[i];
        games[i].moves.assign(moves[i].c_str(), moves[i].size());
        games[i].skip_plies = limits(i, 0);
        games[i].min_clock = limits(i, 1);
        if (!clocks[i]) continue;
        games[i].clocks.resize(clocks[i]->size() / sizeof(std::int32_t));
        std::copy_n(clocks[i]->c_str(), games[i].clocks.size() * sizeof(std::int32_t),
                    reinterpret_cast<char*>(games[i].clocks.data()));
    }
    return games;
}

template <GamePosition P>
SampleSet<P> unpack(const std::vector<std::string>& starts, const std::vector<nb::bytes>& moves,
                    const std::vector<std::optional<nb::bytes>>& clocks, const LimitArray& limits,
                    int width) {
    checked_width(width);
    const auto games = packed_games(starts, moves, clocks, limits);
    SampleSet<P> set;
    nb::gil_scoped_release release;
    for (std::uint32_t i = 0; i < games.size(); ++i) {
        records::collect_samples(games[i], width, i, set.samples);
    }
    return set;
}

template <GamePosition P>
SampleSet<P> join(const std::vector<const SampleSet<P>*>& parts) {
    SampleSet<P> all;
    for (const SampleSet<P>* part : parts) {
        all.samples.insert(all.samples.end(), part->samples.begin(), part->samples.end());
    }
    return all;
}

template <GamePosition P>
SampleSet<P> take(const SampleSet<P>& set, const Indices& which) {
    SampleSet<P> some;
    for (const Sample<P>* sample : picked(set, which)) some.samples.push_back(*sample);
    return some;
}

/// Positions of games in progress. Their `played` is 0: no move was played yet.
template <GamePosition P>
SampleSet<P> of_states(const std::vector<State<P>>& states) {
    SampleSet<P> set;
    for (std::uint32_t i = 0; i < states.size(); ++i) {
        set.samples.push_back({states[i].shared_node(), Move{0}, i, records::no_clock, records::no_clock});
    }
    return set;
}

template <GamePosition P>
std::vector<std::string> encodings() {
    std::vector<std::string> names;
    for (const auto& encoder : Encoders<P>::list) names.emplace_back(encoder.name);
    return names;
}

template <GamePosition P>
bool packable(const std::string& name) {
    return checked_encoder<P>(name, 1, false).write_bytes != nullptr;
}

template <GamePosition P>
void bind_samples(nb::module_& m, const char* name) {
    using S = SampleSet<P>;
    nb::class_<S>(m, name,
                  "Positions of recorded games, each with the line of play before it and the move played.")
        .def_static(
            "unpack", &unpack<P>, nb::arg("starts"), nb::arg("moves"), nb::arg("clocks"), nb::arg("limits"),
            nb::arg("width"),
            "Unpacks the positions of n games of a table, in order.\n\n"
            "`starts`: text of each first position. `moves`: packed moves, as `pack_moves` writes them with "
            "`width` bytes a move. `clocks`: little-endian int32, tenths of a second left after each move, "
            "or None. `limits` int64 [n, 2]: plies to skip, and the least clock in tenths of a second for a "
            "position to be included (where known). Raises ParseError or IllegalMove.")
        .def_static("of_states", &of_states<P>, nb::arg("states"),
                    "The positions of games in progress, one a game. Without a move played, `encode` gives 0 "
                    "as move and index.")
        .def_static("join", &join<P>, nb::arg("parts"), "The positions of all parts, in order.")
        .def("take", &take<P>, nb::arg("which"),
             "The positions with these indices, int64 [n]. Raises IndexError.")
        .def_static("encodings", &encodings<P>, "The names of the game's encodings.")
        .def_static(
            "packable", &packable<P>, nb::arg("encoding"),
            "Whether `encode` can pack this encoding: it holds whole numbers only. Raises ValueError.")
        .def_prop_ro_static(
            "symmetries", [](nb::handle) { return Symmetry<P>::count; },
            "The number of board symmetries of the game, the identity included.")
        .def("__len__", [](const S& set) { return set.samples.size(); })
        .def_prop_ro(
            "games",
            [](const S& set) {
                return column<std::int64_t>(set.samples,
                                            [](const Sample<P>& s) { return std::int64_t{s.game}; });
            },
            nb::rv_policy::move, "The index of each position's game, int64 [positions].")
        .def_prop_ro(
            "plies",
            [](const S& set) {
                return column<std::int32_t>(
                    set.samples, [](const Sample<P>& s) { return static_cast<std::int32_t>(s.node->ply); });
            },
            nb::rv_policy::move, "Moves played before each position, int32 [positions].")
        .def_prop_ro(
            "movers",
            [](const S& set) {
                return column<std::int8_t>(set.samples, [](const Sample<P>& s) {
                    return static_cast<std::int8_t>(s.node->position.side());
                });
            },
            nb::rv_policy::move, "The player to move, 0 or 1: int8 [positions].")
        .def_prop_ro(
            "clocks_before",
            [](const S& set) {
                return column<std::int32_t>(set.samples, [](const Sample<P>& s) { return s.clock_before; });
            },
            nb::rv_policy::move,
            "The mover's clock before the move, in tenths of a second; -1 if unknown: int32 [positions].")
        .def_prop_ro(
            "clocks",
            [](const S& set) {
                return column<std::int32_t>(set.samples, [](const Sample<P>& s) { return s.clock; });
            },
            nb::rv_policy::move,
            "The mover's clock after the move, in tenths of a second; -1 if unknown: int32 [positions].")
        .def("encode", &encode_sample_set<P>, nb::arg("which"), nb::arg("encoding"), nb::arg("history"),
             nb::arg("symmetries").none(), nb::arg("packed") = false,
             nb::sig(
                 "def encode(self, which: numpy.typing.NDArray[numpy.int64], encoding: str, history: int, "
                 "symmetries: numpy.typing.NDArray[numpy.uint8] | None, packed: bool = False) -> "
                 "tuple[typing.Any, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], "
                 "numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16], "
                 "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint8]]"),
             "Encodes the positions with the indices `which`, int64 [n].\n\n"
             "`encoding` is a name of `encodings`; `history` is the number of positions shown, 1 where the "
             "encoding has a fixed history; `symmetries` uint8 [n] are applied where they hold. Returns the "
             "encoding [n, ...], the legal moves of all positions one after the other, their policy labels "
             "(0xFFFF: none), the offsets [n + 1] of each position's legal moves, the moves played [n], "
             "their indices among the legal moves [n], and the symmetries applied [n]. If `packed`, the "
             "encoding is a pair: the bits of all binary planes [n, bytes], first cell in the lowest bit, "
             "and the values of the count planes [n, planes]. Raises ValueError or IndexError.")
        .def_static("encode_states", &encode_states<P>, nb::arg("states"), nb::arg("encoding"),
                    nb::arg("history"),
                    nb::sig("def encode_states(states: collections.abc.Sequence[typing.Any], encoding: str, "
                            "history: int) -> numpy.typing.NDArray[numpy.generic]"),
                    "The encoding of states, [states, ...], as `encode` gives it. Raises ValueError.")
        .def_static("decode_states", &decode_states<P>, nb::arg("states"), nb::arg("logits"),
                    nb::arg("encoding"),
                    nb::sig("def decode_states(states: collections.abc.Sequence[typing.Any], logits: "
                            "numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[list[tuple[int, "
                            "...]], numpy.typing.NDArray[numpy.float32]]"),
                    "The legal moves of each state, ascending, and their probabilities in one array: a "
                    "softmax over the labels of the legal moves.\n\n"
                    "`logits` float32 [states, labels]. A move without a label gets all of the probability. "
                    "Raises ValueError.");
}

}  // namespace sparring::bindings
