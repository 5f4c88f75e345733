#include "chess/value_network.hpp"

#include <algorithm>

#include "game/errors.hpp"

namespace sparring::chess {

namespace {

using Units = std::array<std::int16_t, ValueNetwork::width>;

void add(Units& sums, const std::int16_t* row) {
    for (int i = 0; i < ValueNetwork::width; ++i) sums[i] = static_cast<std::int16_t>(sums[i] + row[i]);
}

void subtract(Units& sums, const std::int16_t* row) {
    for (int i = 0; i < ValueNetwork::width; ++i) sums[i] = static_cast<std::int16_t>(sums[i] - row[i]);
}

/// The sum of squared clipped units times weights. A unit times its weight fits 16 bits.
std::int64_t output(const Units& sums, const std::int16_t* weights) {
    std::int32_t total = 0;
    for (int i = 0; i < ValueNetwork::width; ++i) {
        const auto unit = std::clamp<std::int16_t>(sums[i], 0, ValueNetwork::unit_scale);
        const auto weighted = static_cast<std::int16_t>(unit * weights[i]);
        total += weighted * unit;
    }
    return total;
}

}  // namespace

ValueNetwork::ValueNetwork(const Layers& layers)
    : first_(layers.first.begin(), layers.first.end()),
      first_bias_(layers.first_bias.begin(), layers.first_bias.end()),
      last_(layers.last.begin(), layers.last.end()),
      last_bias_(layers.last_bias.begin(), layers.last_bias.end()) {
    if (first_.size() != std::size_t{inputs * width} || first_bias_.size() != std::size_t{width} ||
        last_.size() != std::size_t{buckets * 2 * width} || last_bias_.size() != std::size_t{buckets})
        throw ParseError("the value network has layers of other sizes");
    for (const std::int16_t weight : last_) {
        if (weight < -127 || weight > 127) throw ParseError("a weight of the output exceeds 127");
    }
}

void ValueNetwork::compute(const Board& board, Accumulator& out) const {
    for (const Color viewer : {white, black}) {
        std::copy(first_bias_.begin(), first_bias_.end(), out.units[viewer].begin());
        for (const Color owner : {white, black}) {
            for (int type = pawn; type <= king; ++type) {
                for (Bitboard left = board.pieces(owner, static_cast<PieceType>(type)); left;)
                    add(out.units[viewer], row(viewer, owner, type, pop_lsb(left)));
            }
        }
    }
}

void ValueNetwork::update(const Board& from, const Accumulator& known, const Board& to,
                          Accumulator& out) const {
    out = known;
    for (const Color owner : {white, black}) {
        for (int type = pawn; type <= king; ++type) {
            const Bitboard before = from.pieces(owner, static_cast<PieceType>(type));
            const Bitboard after = to.pieces(owner, static_cast<PieceType>(type));
            if (before == after) continue;
            for (Bitboard gone = before & ~after; gone;) {
                const Square s = pop_lsb(gone);
                for (const Color viewer : {white, black})
                    subtract(out.units[viewer], row(viewer, owner, type, s));
            }
            for (Bitboard come = after & ~before; come;) {
                const Square s = pop_lsb(come);
                for (const Color viewer : {white, black}) add(out.units[viewer], row(viewer, owner, type, s));
            }
        }
    }
}

int ValueNetwork::evaluate(const Board& board, const Accumulator& sums) const {
    const int pieces = std::popcount(board.occupied());
    const auto bucket = static_cast<std::size_t>(std::min((pieces - 2) / 4, buckets - 1));
    const std::int16_t* weights = &last_[bucket * 2 * width];
    const std::int64_t squares =
        output(sums.units[board.side()], weights) + output(sums.units[~board.side()], weights + width);
    const std::int64_t total = squares / unit_scale + last_bias_[bucket];
    return static_cast<int>(total * centipawns / (unit_scale * weight_scale));
}

}  // namespace sparring::chess
