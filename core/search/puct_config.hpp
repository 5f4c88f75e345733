// The parameters of PUCT.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sparring::search {

/// The parameters of a search. This is their only declaration: bindings/puct.cpp binds names, defaults and
/// docs.
struct PuctConfig {
    double c_puct = 1.5;
    double c_base = 0;
    double c_factor = 0;
    double prior_temperature = 1;
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
