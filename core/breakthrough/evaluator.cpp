#include "breakthrough/evaluator.hpp"

#include <array>
#include <numeric>

#include "game/compiler.hpp"
#include "search/linear_evaluation.hpp"

namespace sparring::breakthrough {

namespace {

constexpr Bitboard first_column = 0x0101010101010101, last_column = first_column << 7;

/// The pieces of a side, mirrored to White's view.
Bitboard upright(const Position& p, int color) {
    return color == white ? p.pieces(color) : reversed_bytes(p.pieces(color));
}

/// The squares that White's pieces attack.
Bitboard attacks(Bitboard b) { return (b & ~first_column) << 7 | (b & ~last_column) << 9; }

/// The eight counts: pieces, sum of rows advanced, row of the most advanced piece, protected pieces, attacked
/// pieces, pieces on the home row, pieces on the edge columns, free steps.
std::array<double, Features::size - 1> measure(const Position& p, int color) {
    const Bitboard own = upright(p, color), enemy = reversed_bytes(upright(p, 1 - color));
    const Bitboard threatened = reversed_bytes(attacks(upright(p, 1 - color)));
    double rows = 0;
    for (int row = 1; row < 8; ++row) rows += row * std::popcount(own >> (8 * row) & 0xFF);
    const int foremost = own ? 7 - std::countl_zero(own) / 8 : 0;
    const int free = std::popcount((own & ~first_column) << 7 & ~own) +
                     std::popcount((own & ~last_column) << 9 & ~own) +
                     std::popcount(own << 8 & ~own & ~enemy);
    return {std::popcount(own) / 16.0,
            rows / 64.0,
            foremost / 7.0,
            std::popcount(own & attacks(own)) / 16.0,
            std::popcount(own & threatened & ~attacks(own)) / 8.0,
            std::popcount(own & 0xFF) / 8.0,
            std::popcount(own & (first_column | last_column)) / 8.0,
            free / 32.0};
}

}  // namespace

void Features::extract_features(const SearchState& search_state, std::span<double> out) {
    const auto own = measure(search_state, search_state.side()),
               other = measure(search_state, 1 - search_state.side());
    for (std::size_t i = 0; i < own.size(); ++i) out[i] = own[i] - other[i];
    out[size - 1] = 1.0;
}

std::vector<std::string> Features::names() {
    return {"pieces", "rows gone", "foremost row", "protected", "attacked",
            "guards", "edge",      "free steps",   "move"};
}

double Features::Weights::value(const SearchState& search_state) const {
    std::array<double, size> features;
    extract_features(search_state, features);
    return std::inner_product(features.begin(), features.end(), plain_.begin(), 0.0);
}

std::optional<int> Evaluator::decided(const SearchState& search_state) const {
    const int winner = search_state.winner();
    if (winner < 0) return {};
    return winner == search_state.side() ? search::win_score : -search::win_score;
}

int Evaluator::evaluate(const SearchState& search_state) const {
    return network_ ? network_->score(search_state) : search::score_of(weights_->value(search_state));
}

void Evaluator::order(const SearchState& search_state, search::OrderedMoves& moves, bool only_noisy) {
    MoveList list;
    search_state.moves(list);
    const int far = search_state.side() == white ? 7 : 0;
    for (const Move move : list) {
        const int row = search_state.target(move) / 8, gone = 7 - std::abs(far - row);
        if (row == far || search_state.captures(move)) {
            moves.push(move, search::noisy_order + gone);
        } else if (!only_noisy) {
            moves.push(move, gone);
        }
    }
}

}  // namespace sparring::breakthrough
