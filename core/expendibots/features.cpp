#include "expendibots/features.hpp"

#include <algorithm>
#include <tuple>

namespace sparring::expendibots {

namespace {

constexpr int per_player = Features::per_player;

/// The numbers of a player in order, with scales that bring them to about 1.
struct Number {
    const char* name;
    float unit;
};
constexpr std::array<Number, per_player> numbers = {{
    {"tokens", 12},
    {"stacks", 12},
    {"actions", 130},
    {"average stack", 4},
    {"cluster", 12},
    {"mobility", 64},
    {"connectivity", 12},
    {"threat", 12},
    {"distance", 12},
    {"tokens in ring 0", 12},
    {"tokens in ring 1", 12},
    {"tokens in ring 2", 12},
    {"tokens in ring 3", 12},
    {"stacks in ring 0", 12},
    {"stacks in ring 1", 12},
    {"stacks in ring 2", 12},
    {"stacks in ring 3", 12},
}};
constexpr float closest_unit = 12;

/// The squares within each ring: the centre's 2x2, 4x4, 6x6 and all.
constexpr std::array<Bitboard, 4> within_ring = {0x0000001818000000, 0x00003C3C3C3C0000, 0x007E7E7E7E7E7E00,
                                                 ~Bitboard{0}};

constexpr Bitboard west_edge = 0x0101010101010101, east_edge = west_edge << 7;

/// The neighbours of the squares.
constexpr Bitboard neighbours(Bitboard b) {
    const Bitboard sides = (b & ~east_edge) << 1 | (b & ~west_edge) >> 1;
    const Bitboard row = sides | b;
    return sides | row << 8 | row >> 8;
}

/// The squares and their neighbours on the same row or column.
constexpr Bitboard cross(Bitboard b) {
    return b | (b & ~east_edge) << 1 | (b & ~west_edge) >> 1 | b << 8 | b >> 8;
}

int largest_cluster(Bitboard stacks) {
    int largest = 0;
    // Isolated stacks need no flood fill.
    Bitboard left = stacks & neighbours(stacks);
    if (stacks) largest = 1;
    while (std::popcount(left) > largest) {
        const Bitboard together = component(left & -left, left);
        left &= ~together;
        largest = std::max(largest, std::popcount(together));
    }
    return largest;
}

/// The distance in steps along rows and columns from each stack to the nearest target: the sum and the
/// minimum.
struct Distances {
    int total = 0;
    int fewest = 0;
};

Distances distances(Bitboard from, Bitboard targets) {
    Distances result;
    Bitboard reached = targets, left = from;
    int steps = 0;
    while (left) {
        reached = cross(reached);
        ++steps;
        const int reached_now = std::popcount(left & reached);
        if (reached_now && !result.fewest) result.fewest = steps;
        result.total += reached_now * steps;
        left &= ~reached;
    }
    return result;
}

/// The actions of a player: MOVEs, BOOMs, and target squares of MOVEs.
void measure_actions(const Board& board, Bitboard own, Bitboard enemy, float* out) {
    int actions = std::popcount(own);
    Bitboard targets = 0;
    for (Bitboard stacks = own; stacks;) {
        const Square from = pop_lsb(stacks);
        const int height = board.height(from);
        const Bitboard reached = reach(from, height) & ~enemy;
        targets |= reached;
        actions += height * std::popcount(reached);
    }
    out[2] = static_cast<float>(actions);
    out[5] = static_cast<float>(std::popcount(targets));
}

void measure_rings(const Board& board, Bitboard own, float* out) {
    int tokens = 0, stacks = 0;
    for (int ring = 0; ring < 4; ++ring) {
        const Bitboard here = own & within_ring[ring];
        const int tokens_here = board.tokens(here), stacks_here = std::popcount(here);
        out[9 + ring] = static_cast<float>(tokens_here - tokens);
        out[13 + ring] = static_cast<float>(stacks_here - stacks);
        tokens = tokens_here;
        stacks = stacks_here;
    }
    out[0] = static_cast<float>(tokens);
    out[1] = static_cast<float>(stacks);
    out[3] = stacks ? out[0] / out[1] : 0.0f;
}

void measure_player(const Board& board, Color player, Distances far, float* out) {
    const Bitboard own = board.colors[player], enemy = board.colors[1 - player];
    measure_rings(board, own, out);
    measure_actions(board, own, enemy, out);
    const Bitboard around = neighbours(own);
    out[4] = static_cast<float>(largest_cluster(own));
    out[6] = static_cast<float>(std::popcount(own & around));
    out[7] = static_cast<float>(std::popcount(enemy & around));
    out[8] = own ? static_cast<float>(far.total) / out[1] : 0.0f;
}

/// The measurements in order: both ratios, shortest distance, numbers of the player to move, numbers of the
/// opponent.
constexpr int ratios = 0, closest = 2, mover_numbers = 3, other_numbers = mover_numbers + per_player;
static_assert(other_numbers + per_player <= 40);

}  // namespace

Measured measure(const Board& board) {
    Measured out{};
    const auto mover = static_cast<Color>(board.turn), other = static_cast<Color>(1 - board.turn);
    const Bitboard own = board.colors[mover], enemy = board.colors[other];
    const bool both = own && enemy;
    const Distances ours = both ? distances(own, enemy) : Distances{};
    measure_player(board, mover, ours, &out[mover_numbers]);
    measure_player(board, other, both ? distances(enemy, own) : Distances{}, &out[other_numbers]);
    const float mine = out[mover_numbers], theirs = out[other_numbers];
    out[ratios] = mine / std::max(theirs, 1.0f);
    out[ratios + 1] = theirs / std::max(mine, 1.0f);
    out[closest] = static_cast<float>(ours.fewest);
    return out;
}

namespace {

/// 0 behind, 1 level, 2 ahead.
int standing_of(float own, float other) { return own < other ? 0 : own > other ? 2 : 1; }

Stage stage_of(int booms, float own, float other) {
    if (own <= 4 && other <= 4) return ending;
    return booms >= 4 ? middle : booms >= 2 ? developing : opening;
}

}  // namespace

int Features::stage(const SearchState& search_state) {
    const Board& b = search_state.board;
    return stage_of(search_state.booms, static_cast<float>(b.tokens(b.colors[white])),
                    static_cast<float>(b.tokens(b.colors[black])));
}

void Features::extract_features(const SearchState& search_state, std::span<double> out) {
    const Measured measured = measure(search_state.board);
    std::fill(out.begin(), out.end(), 0.0);
    for (const int viewer : {0, 1}) {
        const float* own = &measured[viewer ? other_numbers : mover_numbers];
        const float* other = &measured[viewer ? mover_numbers : other_numbers];
        const double half = viewer ? -0.5 : 0.5, ahead = standing_of(own[0], other[0]) / 2.0;
        const auto see = [&](int i, double number) {
            out[i] += half * number;
            out[bases + i] += half * ahead * number;
            out[2 * bases + i] += half * (1 - ahead) * number;
        };
        see(0, measured[ratios + viewer]);
        see(1, measured[closest] / closest_unit);
        for (int i = 0; i < per_player; ++i) {
            const double mine = own[i] / numbers[i].unit, theirs = other[i] / numbers[i].unit;
            see(2 + 3 * i, mine);
            see(3 + 3 * i, theirs);
            see(4 + 3 * i, mine - theirs);
        }
    }
}

std::vector<std::string> Features::names() {
    std::vector<std::string> plain = {"ratio", "closest"};
    for (const Number& number : numbers) {
        for (const char* whose : {"own ", "other's ", "difference of "})
            plain.push_back(whose + std::string(number.name));
    }
    std::vector<std::string> all = plain;
    for (const char* when : {", ahead", ", behind"}) {
        for (const std::string& name : plain) all.push_back(name + when);
    }
    return all;
}

std::vector<std::string> Features::stage_names() { return {"opening", "developing", "middle", "ending"}; }

Features::Weights::Weights(std::span<const double> plain) {
    static_assert(measured == std::tuple_size_v<Measured>);
    for (int stage = 0; stage < stages; ++stage) {
        const auto weights = plain.subspan(static_cast<std::size_t>(stage * size), size);
        for (int standing = 0; standing < standings; ++standing) {
            std::array<double, measured> folded{};
            for (const int viewer : {0, 1}) {
                double* own = &folded[viewer ? other_numbers : mover_numbers];
                double* other = &folded[viewer ? mover_numbers : other_numbers];
                const double half = viewer ? -0.5 : 0.5, ahead = (viewer ? 2 - standing : standing) / 2.0;
                const auto of = [&](int i) {
                    return half *
                           (weights[i] + ahead * weights[bases + i] + (1 - ahead) * weights[2 * bases + i]);
                };
                folded[ratios + viewer] += of(0);
                folded[closest] += of(1) / closest_unit;
                for (int i = 0; i < per_player; ++i) {
                    own[i] += (of(2 + 3 * i) + of(4 + 3 * i)) / numbers[i].unit;
                    other[i] += (of(3 + 3 * i) - of(4 + 3 * i)) / numbers[i].unit;
                }
            }
            std::copy(folded.begin(), folded.end(), folded_[stage][standing].begin());
        }
    }
}

double Features::Weights::value(const SearchState& search_state) const {
    const Measured numbers = measure(search_state.board);
    const float own = numbers[mover_numbers], other = numbers[other_numbers];
    const auto& weights = folded_[stage_of(search_state.booms, own, other)][standing_of(own, other)];
    // Four partial sums: the compiler may not reorder additions, so it would not vectorise a single sum.
    std::array<float, 4> sums{};
    static_assert(measured % 4 == 0);
    for (int i = 0; i < measured; i += 4) {
        for (int j = 0; j < 4; ++j) sums[j] += numbers[i + j] * weights[i + j];
    }
    return static_cast<double>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

}  // namespace sparring::expendibots
