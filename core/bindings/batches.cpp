// Lines of recorded games to encoded batches: everything here that takes time runs without the
// interpreter's lock, so that Python's threads share the work.
#include <nanobind/stl/optional.h>

#include <bit>
#include <cstring>

#include "bindings/games.hpp"
#include "bindings/policy.hpp"
#include "records/encoders.hpp"
#include "records/samples.hpp"
#include "records/symmetry.hpp"

namespace sparring::bindings {

namespace {

using records::Encoder;
using records::PackedGame;
using records::Sample;
using records::Symmetry;
using records::SymmetryAction;

using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LimitArray = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using SymmetryArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The wanted positions of some games.
template <GamePosition P>
struct SampleSet {
    std::vector<Sample<P>> samples;
};

std::vector<PackedGame> packed_games(const std::vector<std::string>& starts,
                                     const std::vector<nb::bytes>& moves,
                                     const std::vector<std::optional<nb::bytes>>& clocks,
                                     const LimitArray& limits) {
    if (starts.size() != moves.size() || clocks.size() != moves.size() || limits.shape(0) != moves.size()) {
        throw nb::value_error("as many starts, clocks and limits as games expected");
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
    SampleSet<P> lines;
    nb::gil_scoped_release release;
    for (std::uint32_t i = 0; i < games.size(); ++i) {
        records::collect_samples(games[i], width, i, lines.samples);
    }
    return lines;
}

template <GamePosition P>
SampleSet<P> join(const std::vector<const SampleSet<P>*>& parts) {
    SampleSet<P> all;
    for (const SampleSet<P>* part : parts) {
        all.samples.insert(all.samples.end(), part->samples.begin(), part->samples.end());
    }
    return all;
}

/// The samples of these indices, checked.
template <GamePosition P>
std::vector<const Sample<P>*> picked(const SampleSet<P>& lines, const Indices& which) {
    std::vector<const Sample<P>*> samples;
    for (std::size_t i = 0; i < which.shape(0); ++i) {
        const auto at = static_cast<std::size_t>(which.data()[i]);
        if (at >= lines.samples.size()) throw nb::index_error("there is no such position");
        samples.push_back(&lines.samples[at]);
    }
    return samples;
}

template <GamePosition P>
SampleSet<P> take(const SampleSet<P>& lines, const Indices& which) {
    SampleSet<P> some;
    for (const Sample<P>* sample : picked(lines, which)) some.samples.push_back(*sample);
    return some;
}

/// A fact of every position as a new array.
template <class T, GamePosition P, class Fact>
nb::ndarray<nb::numpy, T> column(const SampleSet<P>& lines, Fact fact) {
    const Zeros<T> block(lines.samples.size());
    std::transform(lines.samples.begin(), lines.samples.end(), block.data(), fact);
    return block.array(block.data(), {lines.samples.size()});
}

template <class T>
nb::ndarray<nb::numpy, T> copied(const std::vector<T>& values) {
    const Zeros<T> block(values.size());
    std::copy(values.begin(), values.end(), block.data());
    return block.array(block.data(), {values.size()});
}

/// What is known of some positions beside their encoding.
struct Labels {
    std::vector<std::uint16_t> legal;   // of all positions, one after the other, each ascending
    std::vector<std::uint16_t> labels;  // what the encoding's policy calls each of them
    std::vector<std::int64_t> offsets;  // where each position's legal moves begin, and the end of the last
    std::vector<std::uint16_t> played;
    std::vector<std::int32_t> index;       // of the played move among the legal ones
    std::vector<std::uint8_t> symmetries;  // the symmetry that was used
};

/// Whether all positions that an encoder shows have the game's symmetries.
template <GamePosition P>
bool symmetric(const Node<P>& node, int history) {
    const Node<P>* shown = &node;
    for (int back = 0; back < history && shown; ++back, shown = shown->previous.get()) {
        if (!Symmetry<P>::holds(shown->position)) return false;
    }
    return true;
}

/// Turns every plane from `from` into `to`.
template <class T, GamePosition P>
void transform_planes(const P& position, int symmetry, const std::vector<T>& from, T* to) {
    const auto [game_planes, rows, columns] = position.shape();
    const std::size_t area = rows * columns;
    std::vector<std::size_t> cells(area);
    for (std::size_t c = 0; c < area; ++c) {
        cells[c] = static_cast<std::size_t>(Symmetry<P>::cell(position, symmetry, static_cast<int>(c)));
    }
    for (std::size_t plane = 0; plane < from.size(); plane += area) {
        for (std::size_t c = 0; c < area; ++c) to[plane + cells[c]] = from[plane + c];
    }
}

template <class T, GamePosition P>
records::Write<P, T> writer(const Encoder<P>& encoder) {
    if constexpr (std::is_same_v<T, float>) {
        return encoder.write_floats;
    } else {
        return encoder.write_bytes;
    }
}

template <class T, GamePosition P>
class Batcher {
 public:
    Batcher(const Encoder<P>& encoder, int history, std::size_t each)
        : encoder_(encoder), write_(writer<T>(encoder)), history_(history), transformed_(each) {}

    void add(const Sample<P>& sample, int turn, T* out) {
        const P& position = sample.node->position;
        if (turn != 0 && !symmetric(*sample.node, history_)) turn = 0;
        if (turn == 0 || encoder_.symmetry_action == SymmetryAction::invariant) {
            write_(*sample.node, history_, out);
        } else {
            std::fill(transformed_.begin(), transformed_.end(), T{0});
            write_(*sample.node, history_, transformed_.data());
            transform_planes(position, turn, transformed_, out);
        }
        const auto seen = [&](Move m) { return turn ? Symmetry<P>::move(position, turn, m) : m; };
        list_.clear();
        P::legal_moves(*sample.node, list_);
        std::transform(list_.begin(), list_.end(), list_.begin(), seen);
        list_.sort();
        const Move played = seen(sample.played);
        labels.index.push_back(
            static_cast<std::int32_t>(std::lower_bound(list_.begin(), list_.end(), played) - list_.begin()));
        labels.played.push_back(played);
        labels.offsets.push_back(static_cast<std::int64_t>(labels.legal.size()));
        labels.legal.insert(labels.legal.end(), list_.begin(), list_.end());
        for (const Move move : list_) labels.labels.push_back(encoder_.label(position, move));
        labels.symmetries.push_back(static_cast<std::uint8_t>(turn));
    }

    Labels labels;

 private:
    const Encoder<P>& encoder_;
    records::Write<P, T> write_;
    int history_;
    std::vector<T> transformed_;
    MoveList list_;
};

template <GamePosition P>
const Encoder<P>& checked_encoder(const std::string& name, int history, bool transformed) {
    const Encoder<P>* encoder = records::find_encoder<P>(name);
    if (!encoder) throw nb::value_error(("there is no encoding '" + name + "'").c_str());
    if (history < 1) throw nb::value_error("a history has at least one position");
    if (history != 1 && !encoder->variable_history) {
        throw nb::value_error(("the encoding '" + name + "' has a history of its own").c_str());
    }
    if (transformed && encoder->symmetry_action == SymmetryAction::unsupported) {
        throw nb::value_error(("the encoding '" + name + "' cannot be mirrored: it is no planes").c_str());
    }
    return *encoder;
}

/// The shape of one encoded position; all must be of one size.
template <GamePosition P>
std::vector<std::size_t> shape_of_all(const std::vector<const P*>& positions, const Encoder<P>& encoder,
                                      int history) {
    if (positions.empty()) throw nb::value_error("encode needs at least one position");
    for (const P* position : positions) {
        if (position->shape() != positions[0]->shape())
            throw nb::value_error("a batch needs boards of one size");
    }
    return encoder.shape(*positions[0], history);
}

std::size_t volume(const std::vector<std::size_t>& shape) {
    std::size_t each = 1;
    for (const std::size_t extent : shape) each *= extent;
    return each;
}

/// Labels as arrays, behind what was encoded.
nb::tuple with_labels(nb::object encoded, Labels& labels) {
    labels.offsets.push_back(static_cast<std::int64_t>(labels.legal.size()));
    return nb::make_tuple(encoded, copied(labels.legal), copied(labels.labels), copied(labels.offsets),
                          copied(labels.played), copied(labels.index), copied(labels.symmetries));
}

template <class T, GamePosition P>
nb::tuple encode_samples(const std::vector<const Sample<P>*>& samples, const Encoder<P>& encoder, int history,
                         std::vector<std::size_t> shape, const std::uint8_t* symmetries) {
    const std::size_t each = volume(shape);
    const Zeros<T> block(samples.size() * each);
    Batcher<T, P> batcher(encoder, history, each);
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            batcher.add(*samples[i], symmetries ? symmetries[i] : 0, block.data() + i * each);
        }
    }
    shape.insert(shape.begin(), samples.size());
    return with_labels(nb::cast(block.array(block.data(), shape)), batcher.labels);
}

/// The lowest bit of every number, the first number's in the lowest bit; there must be room for whole eights.
void pack_bits(const std::uint8_t* numbers, std::size_t eights, std::uint8_t* bits) {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t lowest = 0x0101010101010101, gather = 0x0102040810204080;
    for (std::size_t i = 0; i < eights; ++i) {
        std::uint64_t eight;
        std::memcpy(&eight, numbers + 8 * i, 8);
        bits[i] = static_cast<std::uint8_t>((eight & lowest) * gather >> 56);
    }
}

/// Bytes that are 0 and 1 as bits, and the counts: a thirtieth of the memory to move.
template <GamePosition P>
nb::tuple pack_samples(const std::vector<const Sample<P>*>& samples, const Encoder<P>& encoder, int history,
                       const std::vector<std::size_t>& shape, const std::uint8_t* symmetries) {
    const std::size_t each = volume(shape), packed = (each + 7) / 8, count = samples.size();
    const auto [begin, end] = encoder.counts(history);
    const std::size_t area = each / shape[0];
    const Zeros<std::uint8_t> bits(count * packed), counts(count * (end - begin));
    Batcher<std::uint8_t, P> batcher(encoder, history, each);
    {
        nb::gil_scoped_release release;
        std::vector<std::uint8_t> planes(8 * packed);
        for (std::size_t i = 0; i < count; ++i) {
            std::fill(planes.begin(), planes.end(), std::uint8_t{0});
            batcher.add(*samples[i], symmetries ? symmetries[i] : 0, planes.data());
            pack_bits(planes.data(), packed, bits.data() + i * packed);
            for (std::size_t plane = begin; plane < end; ++plane) {
                counts.data()[i * (end - begin) + plane - begin] = planes[plane * area];
            }
        }
    }
    nb::tuple both = nb::make_tuple(bits.array(bits.data(), {count, packed}),
                                    counts.array(counts.data(), {count, end - begin}));
    return with_labels(both, batcher.labels);
}

template <GamePosition P>
nb::tuple encode_sample_set(const SampleSet<P>& lines, const Indices& which, const std::string& encoding,
                            int history, const std::optional<SymmetryArray>& symmetries, bool packed) {
    const auto samples = picked(lines, which);
    const auto& encoder = checked_encoder<P>(encoding, history, symmetries.has_value());
    if (packed && !encoder.write_bytes) throw nb::value_error("an encoding with fractions cannot be packed");
    if (symmetries && symmetries->shape(0) != samples.size())
        throw nb::value_error("a symmetry for each position expected");
    for (std::size_t i = 0; symmetries && i < samples.size(); ++i) {
        if (symmetries->data()[i] >= Symmetry<P>::count) throw nb::value_error("there is no such symmetry");
    }
    std::vector<const P*> positions;
    for (const Sample<P>* sample : samples) positions.push_back(&sample->node->position);
    const auto shape = shape_of_all(positions, encoder, history);
    const std::uint8_t* transformed = symmetries ? symmetries->data() : nullptr;
    if (packed) return pack_samples(samples, encoder, history, shape, transformed);
    return encoder.write_bytes ? encode_samples<std::uint8_t>(samples, encoder, history, shape, transformed)
                               : encode_samples<float>(samples, encoder, history, shape, transformed);
}

template <class T, GamePosition P>
nb::object encode_nodes(const std::vector<State<P>>& states, const Encoder<P>& encoder, int history,
                        std::vector<std::size_t> shape) {
    const std::size_t each = volume(shape);
    const Zeros<T> block(states.size() * each);
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < states.size(); ++i) {
            writer<T>(encoder)(states[i].node(), history, block.data() + i * each);
        }
    }
    shape.insert(shape.begin(), states.size());
    return nb::cast(block.array(block.data(), shape));
}

template <GamePosition P>
nb::object encode_states(const std::vector<State<P>>& states, const std::string& encoding, int history) {
    const auto& encoder = checked_encoder<P>(encoding, history, false);
    std::vector<const P*> positions;
    for (const State<P>& state : states) positions.push_back(&state.position());
    const auto shape = shape_of_all(positions, encoder, history);
    return encoder.write_bytes ? encode_nodes<std::uint8_t>(states, encoder, history, shape)
                               : encode_nodes<float>(states, encoder, history, shape);
}

template <GamePosition P>
nb::tuple decode_states(const std::vector<State<P>>& states, const Logits& logits,
                        const std::string& encoding) {
    const auto& encoder = checked_encoder<P>(encoding, 1, false);
    const std::size_t labels = logits.shape(1);
    return decode(states, logits, labels, [&](const P& position, Move move, const float* row) {
        const std::uint16_t label = encoder.label(position, move);
        if (label == records::no_label) return certain;
        if (label >= labels) throw nb::value_error("the policy is too short for this encoding");
        return static_cast<double>(row[label]);
    });
}

template <GamePosition P>
std::vector<std::string> encodings() {
    std::vector<std::string> names;
    for (const auto& encoder : records::encoder_list<P>) names.emplace_back(encoder.name);
    return names;
}

/// Whether an encoding has whole numbers only, so that its bits can be packed.
template <GamePosition P>
bool packable(const std::string& name) {
    return checked_encoder<P>(name, 1, false).write_bytes != nullptr;
}

template <GamePosition P>
void bind_samples(nb::module_& m, const char* name) {
    using L = SampleSet<P>;
    nb::class_<L>(m, name, "Positions of recorded games, with the lines that led to them.")
        .def_static("unpack", &unpack<P>, nb::arg("starts"), nb::arg("moves"), nb::arg("clocks"),
                    nb::arg("limits"), nb::arg("width"),
                    "The positions of games from a table. `limits` [games, 2]: how many plies to skip, and "
                    "how many tenths of a second to ask for where clocks are known. Raises ParseError or "
                    "IllegalMove.")
        .def_static("join", &join<P>, nb::arg("parts"), "All positions of the parts, in their order.")
        .def("take", &take<P>, nb::arg("which"), "The positions of these indices.")
        .def_static("encodings", &encodings<P>, "The names of the encodings.")
        .def_static("packable", &packable<P>, nb::arg("encoding"),
                    "Whether an encoding has whole numbers only, so that it can be packed.")
        .def_prop_ro_static(
            "symmetries", [](nb::handle) { return Symmetry<P>::count; },
            "How many symmetries the game has, doing nothing included.")
        .def("__len__", [](const L& lines) { return lines.samples.size(); })
        .def_prop_ro(
            "games",
            [](const L& lines) {
                return column<std::int64_t>(lines, [](const Sample<P>& s) { return std::int64_t{s.game}; });
            },
            nb::rv_policy::move, "The number of each position's game.")
        .def_prop_ro(
            "plies",
            [](const L& lines) {
                return column<std::int32_t>(
                    lines, [](const Sample<P>& s) { return static_cast<std::int32_t>(s.node->ply); });
            },
            nb::rv_policy::move, "The moves before each position.")
        .def_prop_ro(
            "movers",
            [](const L& lines) {
                return column<std::int8_t>(lines, [](const Sample<P>& s) {
                    return static_cast<std::int8_t>(s.node->position.side());
                });
            },
            nb::rv_policy::move, "The player to move, 0 or 1.")
        .def_prop_ro(
            "clocks_before",
            [](const L& lines) {
                return column<std::int32_t>(lines, [](const Sample<P>& s) { return s.clock_before; });
            },
            nb::rv_policy::move,
            "Tenths of a second that the mover had left before the move, -1 where unknown.")
        .def_prop_ro(
            "clocks",
            [](const L& lines) {
                return column<std::int32_t>(lines, [](const Sample<P>& s) { return s.clock; });
            },
            nb::rv_policy::move,
            "Tenths of a second that the mover had left after the move, -1 where unknown.")
        .def(
            "encode", &encode_sample_set<P>, nb::arg("which"), nb::arg("encoding"), nb::arg("history"),
            nb::arg("symmetries").none(), nb::arg("packed") = false,
            nb::sig("def encode(self, which: numpy.typing.NDArray[numpy.int64], encoding: str, history: int, "
                    "symmetries: numpy.typing.NDArray[numpy.uint8] | None, packed: bool = False) -> "
                    "tuple[typing.Any, numpy.typing.NDArray[numpy.uint16], "
                    "numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64], "
                    "numpy.typing.NDArray[numpy.uint16], "
                    "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint8]]"),
            "The positions of these indices: their encoding, the legal moves of all, what the encoding's "
            "policy "
            "calls them, where each position's begin, the moves played, their indices among the legal ones, "
            "and the symmetries used. Packed, the encoding is a pair: bits of all planes [n, bytes], the "
            "first "
            "in the lowest bit, and the counts of those planes that hold counts [n, planes].")
        .def_static("encode_states", &encode_states<P>, nb::arg("states"), nb::arg("encoding"),
                    nb::arg("history"),
                    nb::sig("def encode_states(states: collections.abc.Sequence[typing.Any], encoding: str, "
                            "history: int) -> numpy.typing.NDArray[numpy.generic]"),
                    "The encoding of states that are played on, as `encode` gives it for recorded ones.")
        .def_static("decode_states", &decode_states<P>, nb::arg("states"), nb::arg("logits"),
                    nb::arg("encoding"),
                    nb::sig("def decode_states(states: collections.abc.Sequence[typing.Any], logits: "
                            "numpy.typing.NDArray[numpy.float32], encoding: str) -> "
                            "tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]"),
                    "The legal moves of every state, and the probabilities of all of them one after the "
                    "other, from the logits of a policy [states, labels]. A move that the encoding has no "
                    "label for is certain.");
}

}  // namespace

void bind_batches(nb::module_& m) {
    bind_samples<chess::Position>(m, "ChessSamples");
    bind_samples<rbc::Position>(m, "RbcSamples");
    bind_samples<shogi::Position>(m, "ShogiSamples");
    bind_samples<go::Position>(m, "GoSamples");
    bind_samples<expendibots::Position>(m, "ExpendibotsSamples");
}

}  // namespace sparring::bindings
