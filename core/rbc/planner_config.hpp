// The constants of deep synoptic Monte Carlo planning (DSMCP, Clark 2021, table 5) and ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "game/options.hpp"

namespace sparring::rbc {

struct PlannerConfig {
    std::uint32_t batch = 32;  // paper: 256
    double exploration = 2.0;
    double mixing = 1.0;
    std::uint32_t sense_depth = 6;
    std::uint32_t move_depth = 12;
    std::uint32_t states = 128;
    std::uint32_t particles = 512;  // paper: 4096
    std::uint32_t persistence = 512;
    double native_weight = 0.0;
    double belief_noise = 0.05;
    double attack_weight = 1.0;
    double rationality = 0.0;
    std::uint32_t table_size = 1 << 16;
    std::uint32_t threads = 1;
    // What the paper varies.
    double caution = 0.0;
    double paranoia = 0.0;
    bool avop = false;
    bool untried_first = false;
    bool static_analysis = true;
    bool bandit_belief = false;

    bool operator==(const PlannerConfig&) const = default;

    /// The docs name the paper's symbols in brackets.
    static constexpr auto options() {
        using C = PlannerConfig;
        return std::tuple{
            Option{"batch", &C::batch, "Playouts that run at a time, and synopses per inference (b).",
                   Range{1, 4096}},
            Option{"exploration", &C::exploration, "Exploration constant (c).", Range{0, 100}},
            Option{
                "mixing", &C::mixing,
                "After n visits a node draws from the policy with probability exp(-m n); inf never does (m).",
                Range{0, unlimited}},
            Option{"sense_depth", &C::sense_depth, "Actions of a playout that begins with a sense (d_sense).",
                   Range{1, 64}},
            Option{"move_depth", &C::move_depth, "Actions of a playout that begins with a move (d_move).",
                   Range{1, 64}},
            Option{"states", &C::states, "Boards of an approximate infostate (l).", Range{1, 4096}},
            Option{"particles", &C::particles, "Infostates of the opponent in the belief (n_particles).",
                   Range{1, 65536}},
            Option{"persistence", &C::persistence,
                   "Rejections of a particle before a single possible board replaces it (k).", Range{1, 1e9}},
            Option{"native_weight", &C::native_weight,
                   "Share of a native quiescence search in the value of a leaf; the rest is the network's.",
                   Range{0, 1}},
            Option{"belief_noise", &C::belief_noise,
                   "Share of actions of the opponent in the belief that are drawn uniformly, "
                   "not from its policy.",
                   Range{0, 1}},
            Option{"attack_weight", &C::attack_weight,
                   "Odds factor of the opponent's moves that attack the king, in the belief.", Range{0, 100}},
            Option{"rationality", &C::rationality,
                   "Inverse temperature of moves by a native quiescence search, which weighs the network's "
                   "policies of both players; 0 leaves them as they are.",
                   Range{0, 100}},
            Option{"table_size", &C::table_size, "Nodes of the hash table, about a kilobyte each.",
                   Range{1, 1 << 24}},
            Option{"threads", &C::threads, "Threads of the playouts.", Range{1, 1024}},
            Option{"caution", &C::caution,
                   "Share of playouts in which the opponent thinks only four boards possible (kappa).",
                   Range{0, 1}},
            Option{"paranoia", &C::paranoia,
                   "Weight of the smallest value of an action against its mean (phi).", Range{0, 1}},
            Option{"avop", &C::avop, "Selects actions by a variant of PUCT instead of UCB1 (table 4)."},
            Option{"untried_first", &C::untried_first,
                   "Tries all actions of a node once, in random order, before any a second time, as textbook "
                   "UCB1; else an action without visits has the mean value of the node."},
            Option{"static_analysis", &C::static_analysis, "Ends playouts at certain wins (section 5.4)."},
            Option{"bandit_belief", &C::bandit_belief,
                   "Takes the opponent's actions in the belief by the bandit (algorithm 2), "
                   "not from its policy."}};
    }
};

/// Visits by which a running playout counts (n_vl).
constexpr float virtual_loss = 1.0f;

/// The number of states of a cautious playout's opponent.
constexpr std::size_t cautious_states = 4;

}  // namespace sparring::rbc
