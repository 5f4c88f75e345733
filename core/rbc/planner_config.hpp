// The constants of deep synoptic Monte Carlo planning (DSMCP, Clark 2021, table 5), with the paper's symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace sparring::rbc {

struct PlannerConfig {
    std::uint32_t batch = 32;         // b: playouts at a time, and synopses per inference (paper: 256)
    double exploration = 2.0;         // c
    std::uint32_t sense_depth = 6;    // d_sense: actions of a playout from a sense
    std::uint32_t move_depth = 12;    // d_move: actions of a playout from a move
    std::uint32_t persistence = 512;  // k: rejected candidates before a singleton
    std::uint32_t states = 128;       // l: boards of an approximate infostate
    double mixing = 1.0;              // m: exp(-m n) is the probability to draw from the policy
    std::uint32_t particles = 512;    // n_particles (paper: 4096)
    double virtual_loss = 1.0;        // n_vl
    double depth_threshold = std::numeric_limits<double>::infinity();  // z
    double caution = 0.0;                                              // kappa
    double paranoia = 0.0;                                             // phi
    bool avop = false;            // "a variant of PUCT" instead of UCB1 (table 4)
    bool untried_first = false;   // textbook UCB1: actions without visits come first, in random order
    bool static_analysis = true;  // playouts end at certain wins (section 5.4)
    double native_weight = 0.0;   // share of the native quiescence search in the value of a leaf
    double belief_noise = 0.05;   // share of uniformly drawn actions of the opponent in the belief
    bool bandit_belief = false;   // the belief takes the opponent's actions by the bandit (algorithm 2)
    double threat_weight = 1.0;   // odds factor of the opponent's moves that attack our king, in the belief
    double rationality = 0.0;     // inverse temperature of moves by the native evaluation, beside the policy
    std::uint32_t table_size = 1 << 16;  // nodes of the hash table for N and Q
    std::uint32_t threads = 1;

    bool operator==(const PlannerConfig&) const = default;
};

/// The number of states of a cautious playout's opponent.
constexpr std::size_t cautious_states = 4;

}  // namespace sparring::rbc
