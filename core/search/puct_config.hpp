// The parameters of PUCT.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "game/options.hpp"

namespace sparring::search {

/// The parameters of a search. A move's score is Q + c(N) P sqrt(N) / (1 + N(a)): Q is its mean value, P its
/// prior, N(a) its visits and N their sum.
struct PuctConfig {
    double c_puct = 1.5;
    double c_base = 0;
    double c_factor = 0;
    double policy_temperature = 1;
    double fpu_reduction = 0.3;
    bool fpu_absolute = false;
    bool solver = true;
    bool find_immediate_wins = true;
    bool repetition_draws = true;
    double draw_value = 0;
    double noise = 0;
    double noise_alpha = 0.3;
    int batch = 16;
    double batch_share = 0.1;
    double virtual_loss = 0;
    int memory = 512;

    bool operator==(const PuctConfig&) const = default;

    static constexpr auto options() {
        using C = PuctConfig;
        return std::tuple{
            Option{"c_puct", &C::c_puct, "Exploration constant of PUCT; `inf` follows the prior alone.",
                   Range{0, unlimited}},
            Option{"c_base", &C::c_base,
                   "If positive, c_puct grows with the visits N: "
                   "c_puct + c_factor * log((N + c_base + 1) / c_base).",
                   Range{0, 1e9}},
            Option{"c_factor", &C::c_factor, "Factor of that growth.", Range{0, 1000}},
            Option{"policy_temperature", &C::policy_temperature,
                   "Temperature t of the priors in the search: P^(1/t), normalised. Above 1 flattens them.",
                   Range{0, 1000, true}},
            Option{"fpu_reduction", &C::fpu_reduction,
                   "First-play urgency: the value of an unvisited move is that of its parent minus this "
                   "times the square root of the sum of visited priors.",
                   Range{-100, 100}},
            Option{"fpu_absolute", &C::fpu_absolute,
                   "Makes `fpu_reduction` the value of an unvisited move itself."},
            Option{"solver", &C::solver, "Proves forced wins and losses in the search (MCTS solver)."},
            Option{"find_immediate_wins", &C::find_immediate_wins,
                   "Tests every move of the root for an immediate win, whatever its prior; no effect in Go."},
            Option{"repetition_draws", &C::repetition_draws,
                   "Whether a position that occurred before in the tree, or twice before in the game, is a "
                   "draw."},
            Option{"draw_value", &C::draw_value, "Value of a draw for the side to move at the root.",
                   Range{-1, 1}},
            Option{"noise", &C::noise, "Share of Dirichlet noise in the root's priors, for self-play.",
                   Range{0, 1}},
            Option{"noise_alpha", &C::noise_alpha, "Concentration of the Dirichlet noise.",
                   Range{0, unlimited, true}},
            Option{"batch", &C::batch,
                   "Most positions that are evaluated together; a batch is at most `batch_share`, a tenth, "
                   "of the tree.",
                   Range{1, 65536}},
            Option{"batch_share", &C::batch_share,
                   "Largest batch as a share of the tree's visits. A batch has at least one leaf, so 0 "
                   "searches leaf by leaf.",
                   Range{0, unlimited}},
            Option{"virtual_loss", &C::virtual_loss,
                   "Losses by which a visit that waits for its evaluation counts in Q.", Range{0, unlimited}},
            Option{"memory", &C::memory, "Memory limit of the search tree, in megabytes.",
                   Range{1, 1 << 20}}};
    }

    /// The leaves to evaluate together in a tree with so many visits.
    int batch_size(std::uint32_t visits) const {
        return std::clamp(static_cast<int>(std::min(batch_share * visits, 1e9)), 1, batch);
    }

    std::size_t memory_bytes() const { return static_cast<std::size_t>(memory) << 20; }

    /// c(N): c_puct, growing with the logarithm of the visits if c_base is positive, as in AlphaZero.
    double exploration(std::uint32_t visits) const {
        return c_base <= 0 ? c_puct : c_puct + c_factor * std::log((visits + c_base + 1) / c_base);
    }
};

}  // namespace sparring::search
