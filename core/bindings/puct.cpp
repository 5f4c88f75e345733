// The parameters of PUCT, the same for every game.
#include "search/puct.hpp"

#include <nanobind/nanobind.h>

#include "bindings/fields.hpp"

namespace sparring::bindings {

namespace nb = nanobind;

namespace {

using search::PuctConfig;

void check(const PuctConfig& config) {
    if (!(config.c_puct >= 0)) throw nb::value_error("c_puct must be at least 0");
    if (!(config.prior_temperature > 0)) throw nb::value_error("prior_temperature must be above 0");
    if (!(config.noise >= 0 && config.noise <= 1)) throw nb::value_error("noise must be from 0 to 1");
    if (!(config.noise_alpha > 0)) throw nb::value_error("noise_alpha must be above 0");
    if (!(config.draw_value >= -1 && config.draw_value <= 1))
        throw nb::value_error("draw_value must be from -1 to 1");
    if (!(config.batch_share >= 0)) throw nb::value_error("batch_share must be at least 0");
    if (!(config.virtual_loss >= 0)) throw nb::value_error("virtual_loss must be at least 0");
    if (config.batch < 1) throw nb::value_error("batch must be at least 1");
    if (config.memory < 1) throw nb::value_error("memory must be at least 1 (megabyte)");
}

}  // namespace

void bind_puct(nb::module_& m) {
    using C = PuctConfig;
    nb::class_<C> config(
        m, "PuctConfig",
        "The parameters of a PUCT search.\n\n"
        "Q is a move's mean value, P its prior, N(a) its visits and N their sum. A move's score "
        "is Q + c(N) P sqrt(N) / (1 + N(a)). Raises ValueError for a value out of range.");
    bind_fields(
        config, "PuctConfig", &check,
        Field{"c_puct", &C::c_puct,
              "Exploration constant c, at least 0. Infinity selects by the prior alone."},
        Field{"c_base", &C::c_base,
              "If positive, c grows with the visits: c_puct + c_factor * log((N + c_base + 1) / c_base)."},
        Field{"c_factor", &C::c_factor, "See c_base; no effect if c_base is 0."},
        Field{"prior_temperature", &C::prior_temperature,
              "Softmax temperature t of the priors, above 0: P^(1/t), normalised. Above 1 flattens them."},
        Field{"fpu_reduction", &C::fpu_reduction,
              "First-play urgency: the Q of an unvisited move is the parent's value minus this times the "
              "square "
              "root of the sum of visited priors."},
        Field{"fpu_absolute", &C::fpu_absolute,
              "If true, the Q of an unvisited move is fpu_reduction itself."},
        Field{"solver", &C::solver, "Whether forced wins and losses are proven up the tree (MCTS solver)."},
        Field{"find_immediate_wins", &C::find_immediate_wins,
              "Whether every move of the root is tested for an immediate win, whatever its prior."},
        Field{"repetition_draws", &C::repetition_draws,
              "Whether a position that occurred before in the tree, or twice before in the game, is a draw."},
        Field{"draw_value", &C::draw_value,
              "The value of a draw for the side to move at the root, from -1 to 1."},
        Field{"noise", &C::noise,
              "The share of Dirichlet noise in the root's priors, from 0 to 1, for self-play."},
        Field{"noise_alpha", &C::noise_alpha, "The concentration of the Dirichlet noise, above 0."},
        Field{"batch", &C::batch, "The greatest number of leaves evaluated together, at least 1."},
        Field{"batch_share", &C::batch_share,
              "The greatest number of leaves evaluated together as a share of the tree's visits, at least 0. "
              "A batch has at least one leaf, so 0 searches leaf by leaf."},
        Field{"virtual_loss", &C::virtual_loss,
              "Losses by which a visit that waits for its evaluation counts in Q, at least 0."},
        Field{"memory", &C::memory, "The memory limit of the tree in megabytes, at least 1."});
    config.def("batch_size", &C::batch_size, nb::arg("visits"),
               "The number of leaves to evaluate together in a tree with so many visits, from 1 to `batch`.");
}

}  // namespace sparring::bindings
