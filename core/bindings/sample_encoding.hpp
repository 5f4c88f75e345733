// Encodes recorded positions and states into batches of network inputs and targets. All of the work runs
// without the interpreter's lock, so that Python threads share it.
#pragma once

#include <nanobind/stl/optional.h>

#include <bit>
#include <cstring>
#include <optional>

#include "bindings/policy.hpp"
#include "game/encoder.hpp"
#include "game/symmetry.hpp"
#include "records/samples.hpp"

namespace sparring::bindings {

using records::Sample;

using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using SymmetryArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Recorded positions.
template <GamePosition P>
struct SampleSet {
    std::vector<Sample<P>> samples;
};

/// The samples with these indices. Throws IndexError.
template <GamePosition P>
std::vector<const Sample<P>*> picked(const SampleSet<P>& set, const Indices& which) {
    std::vector<const Sample<P>*> samples;
    for (std::size_t i = 0; i < which.shape(0); ++i) {
        const auto at = static_cast<std::size_t>(which.data()[i]);
        if (at >= set.samples.size()) throw nb::index_error("position index out of range");
        samples.push_back(&set.samples[at]);
    }
    return samples;
}

template <class T>
nb::ndarray<nb::numpy, T> copied(const std::vector<T>& values) {
    const Zeros<T> block(values.size());
    std::copy(values.begin(), values.end(), block.data());
    return block.array(block.data(), {values.size()});
}

/// A number of every item as a new array.
template <class T, class Items, class Function>
nb::ndarray<nb::numpy, T> column(const Items& items, Function function) {
    const Zeros<T> block(items.size());
    std::transform(items.begin(), items.end(), block.data(), function);
    return block.array(block.data(), {items.size()});
}

/// The targets of a batch of n positions.
struct Labels {
    std::vector<std::uint16_t> legal;   // the legal moves of all positions, ascending within a position
    std::vector<std::uint16_t> labels;  // the policy entry of each of them
    std::vector<std::int64_t> offsets;  // [n + 1]: legal moves of position i are offsets[i]..offsets[i + 1]
    std::vector<std::uint16_t> played;  // [n]
    std::vector<std::int32_t> index;    // [n]: the played move's index among the legal ones
    std::vector<std::uint8_t> symmetries;  // [n]: the symmetry that was applied
};

/// Whether the symmetries apply to all positions that an encoder shows.
template <GamePosition P>
bool symmetric(const Node<P>& node, int history) {
    const Node<P>* shown = &node;
    for (int back = 0; back < history && shown; ++back, shown = shown->previous.get()) {
        if (!Symmetry<P>::holds(shown->position)) return false;
    }
    return true;
}

/// Permutes the cells of every plane of `from` by a symmetry, into `to`.
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
EncodeFunction<P, T> writer(const Encoder<P>& encoder) {
    if constexpr (std::is_same_v<T, float>) {
        return encoder.write_floats;
    } else {
        return encoder.write_bytes;
    }
}

/// Encodes one sample after another and collects their labels.
template <class T, GamePosition P>
class Batcher {
 public:
    Batcher(const Encoder<P>& encoder, int history, std::size_t size)
        : encoder_(encoder), write_(writer<T>(encoder)), history_(history), transformed_(size) {}

    /// Writes the encoding to `out`, which holds zeros. The identity replaces a symmetry that does not apply.
    void add(const Sample<P>& sample, int symmetry, T* out) {
        const P& position = sample.node->position;
        if (symmetry != 0 && !symmetric(*sample.node, history_)) symmetry = 0;
        if (symmetry == 0 || encoder_.symmetry_action == SymmetryAction::invariant) {
            write_(*sample.node, history_, out);
        } else {
            std::fill(transformed_.begin(), transformed_.end(), T{0});
            write_(*sample.node, history_, transformed_.data());
            transform_planes(position, symmetry, transformed_, out);
        }
        const auto image = [&](Move m) { return symmetry ? Symmetry<P>::move(position, symmetry, m) : m; };
        list_.clear();
        P::legal_moves(*sample.node, list_);
        std::transform(list_.begin(), list_.end(), list_.begin(), image);
        list_.sort();
        const Move played = image(sample.played);
        labels.index.push_back(
            static_cast<std::int32_t>(std::lower_bound(list_.begin(), list_.end(), played) - list_.begin()));
        labels.played.push_back(played);
        labels.offsets.push_back(static_cast<std::int64_t>(labels.legal.size()));
        labels.legal.insert(labels.legal.end(), list_.begin(), list_.end());
        for (const Move move : list_) labels.labels.push_back(encoder_.label(position, move));
        labels.symmetries.push_back(static_cast<std::uint8_t>(symmetry));
    }

    Labels labels;

 private:
    const Encoder<P>& encoder_;
    EncodeFunction<P, T> write_;
    int history_;
    std::vector<T> transformed_;
    MoveList list_;
};

/// The encoder with that name. Throws ValueError for an unknown name, history or symmetry.
template <GamePosition P>
const Encoder<P>& checked_encoder(const std::string& name, int history, bool transformed) {
    const Encoder<P>* encoder = find_encoder<P>(name);
    if (!encoder) throw nb::value_error(("unknown encoding '" + name + "'").c_str());
    if (history < 1) throw nb::value_error("history must be at least 1");
    if (history != 1 && !encoder->variable_history) {
        throw nb::value_error(("the encoding '" + name + "' has a fixed history").c_str());
    }
    if (transformed && encoder->symmetry_action == SymmetryAction::unsupported) {
        throw nb::value_error(("the encoding '" + name + "' has no symmetries").c_str());
    }
    return *encoder;
}

/// The shape of one encoded position. Throws ValueError if the boards differ in size.
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

inline std::size_t volume(const std::vector<std::size_t>& shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    return size;
}

/// The encoding and the labels as a tuple of arrays.
inline nb::tuple with_labels(nb::object encoded, Labels& labels) {
    labels.offsets.push_back(static_cast<std::int64_t>(labels.legal.size()));
    return nb::make_tuple(encoded, copied(labels.legal), copied(labels.labels), copied(labels.offsets),
                          copied(labels.played), copied(labels.index), copied(labels.symmetries));
}

template <class T, GamePosition P>
nb::tuple encode_samples(const std::vector<const Sample<P>*>& samples, const Encoder<P>& encoder, int history,
                         std::vector<std::size_t> shape, const std::uint8_t* symmetries) {
    const std::size_t size = volume(shape);
    const Zeros<T> block(samples.size() * size);
    Batcher<T, P> batcher(encoder, history, size);
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            batcher.add(*samples[i], symmetries ? symmetries[i] : 0, block.data() + i * size);
        }
    }
    shape.insert(shape.begin(), samples.size());
    return with_labels(nb::cast(block.array(block.data(), shape)), batcher.labels);
}

/// Packs the lowest bit of each of 8 * `eights` numbers; the first number is the lowest bit of the first
/// byte.
inline void pack_bits(const std::uint8_t* numbers, std::size_t eights, std::uint8_t* bits) {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t lowest = 0x0101010101010101, gather = 0x0102040810204080;
    for (std::size_t i = 0; i < eights; ++i) {
        std::uint64_t eight;
        std::memcpy(&eight, numbers + 8 * i, 8);
        bits[i] = static_cast<std::uint8_t>((eight & lowest) * gather >> 56);
    }
}

/// Encodes binary planes as bits and the count planes as one byte each: a thirtieth of the data to transfer.
template <GamePosition P>
nb::tuple pack_samples(const std::vector<const Sample<P>*>& samples, const Encoder<P>& encoder, int history,
                       const std::vector<std::size_t>& shape, const std::uint8_t* symmetries) {
    const std::size_t size = volume(shape), packed = (size + 7) / 8, count = samples.size();
    const auto [begin, end] = encoder.counts(history);
    const std::size_t area = size / shape[0];
    const Zeros<std::uint8_t> bits(count * packed), counts(count * (end - begin));
    Batcher<std::uint8_t, P> batcher(encoder, history, size);
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
nb::tuple encode_sample_set(const SampleSet<P>& set, const Indices& which, const std::string& encoding,
                            int history, const std::optional<SymmetryArray>& symmetries, bool packed) {
    const auto samples = picked(set, which);
    const auto& encoder = checked_encoder<P>(encoding, history, symmetries.has_value());
    if (packed && !encoder.write_bytes)
        throw nb::value_error("only an encoding of whole numbers can be packed");
    if (symmetries && symmetries->shape(0) != samples.size())
        throw nb::value_error("one symmetry for each position expected");
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
    const std::size_t size = volume(shape);
    const Zeros<T> block(states.size() * size);
    {
        nb::gil_scoped_release release;
        for (std::size_t i = 0; i < states.size(); ++i) {
            writer<T>(encoder)(states[i].node(), history, block.data() + i * size);
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

/// The logit of a move by its label, for `policies` and `decode`; a move without a label is certain.
template <GamePosition P>
auto label_logit(const Encoder<P>& encoder, std::size_t labels) {
    return [&encoder, labels](const P& position, Move move, const float* row) {
        const std::uint16_t label = encoder.label(position, move);
        if (label == no_label) return certain;
        if (label >= labels) throw nb::value_error("the policy is too short for this encoding");
        return static_cast<double>(row[label]);
    };
}

template <GamePosition P>
nb::tuple decode_states(const std::vector<State<P>>& states, const Logits& logits,
                        const std::string& encoding) {
    const auto& encoder = checked_encoder<P>(encoding, 1, false);
    const std::size_t labels = logits.shape(1);
    return decode(states, logits, labels, label_logit<P>(encoder, labels));
}

}  // namespace sparring::bindings
