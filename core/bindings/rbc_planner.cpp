// The classes RbcPlanner and RbcPlannerConfig.
#include <algorithm>
#include <cmath>
#include <map>

#include "bindings/options.hpp"
#include "bindings/policy.hpp"
#include "bindings/squares.hpp"
#include "rbc/planner.hpp"
#include "search/ownership.hpp"

namespace sparring::bindings {

namespace {

using rbc::BoardSet;
using rbc::Planner;
using rbc::PlannerConfig;

/// A planner that refuses two threads at once.
struct OwnedPlanner {
    Planner planner;
    search::Ownership ownership{};
};

nb::tuple select(OwnedPlanner& self) {
    const auto guard = self.ownership.hold();
    const rbc::EvaluationBatch* batch;
    {
        nb::gil_scoped_release release;
        batch = &self.planner.select();
    }
    const std::size_t n = batch->size();
    const Zeros<std::uint64_t> synopses(n * rbc::synopsis_size);
    const Zeros<bool> opponent(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy(batch->synopses[i].begin(), batch->synopses[i].end(),
                  synopses.data() + i * rbc::synopsis_size);
        opponent.data()[i] = batch->opponent[i];
    }
    return nb::make_tuple(synopses.array(synopses.data(), {n, rbc::synopsis_size}),
                          opponent.array(opponent.data(), {n}));
}

using Values = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void evaluate(OwnedPlanner& self, const Logits& logits, const Values& values) {
    const auto guard = self.ownership.hold();
    if (logits.shape(1) != rbc::policy_size) throw nb::value_error("logits must have 4161 columns");
    if (logits.shape(0) != values.shape(0)) throw nb::value_error("logits and values differ in number");
    nb::gil_scoped_release release;
    self.planner.evaluate({{logits.data(), logits.size()}, {values.data(), values.size()}});
}

/// The actions of the root as five arrays.
nb::tuple root_actions(const OwnedPlanner& self) {
    const auto guard = self.ownership.hold();
    const auto* search = self.planner.search();
    if (!search) throw std::logic_error("there is no search");
    const auto root = search->root();
    const std::size_t n = root.size();
    const Zeros<std::int64_t> actions(n);
    const Zeros<double> priors(n), visits(n), values(n), worst(n);
    for (std::size_t i = 0; i < n; ++i) {
        const bool visited = root[i].visits > 0;
        actions.data()[i] = root[i].action;
        priors.data()[i] = static_cast<double>(root[i].prior);
        visits.data()[i] = static_cast<double>(root[i].visits);
        values.data()[i] = visited ? static_cast<double>(root[i].mean()) : std::nan("");
        worst.data()[i] = visited ? static_cast<double>(root[i].worst) : std::nan("");
    }
    return nb::make_tuple(actions.array(actions.data(), {n}), priors.array(priors.data(), {n}),
                          visits.array(visits.data(), {n}), values.array(values.data(), {n}),
                          worst.array(worst.data(), {n}));
}

template <class Do>
auto with_search(const OwnedPlanner& self, Do read) {
    const auto guard = self.ownership.hold();
    const auto* search = self.planner.search();
    if (!search) throw std::logic_error("there is no search");
    return read(*search);
}

/// The boards of the particles, one each.
std::vector<std::string> particle_fens(const OwnedPlanner& self) {
    const auto guard = self.ownership.hold();
    std::vector<std::string> result;
    for (const auto& particle : self.planner.filter().particles()) result.push_back(particle.board().fen());
    return result;
}

/// The most frequent boards of the particles from our view, and the share of the particles on each.
nb::tuple particle_boards(const OwnedPlanner& self, std::size_t count) {
    const auto guard = self.ownership.hold();
    const auto& particles = self.planner.filter().particles();
    if (particles.empty() || !count) throw std::logic_error("there are no particles: call draw first");
    const auto player = ~particles.front().opponent.known().player;
    std::map<rbc::HiddenSide, std::pair<std::size_t, chess::Board>> counts;
    for (const auto& particle : particles) {
        const chess::Board board = particle.board();
        auto& entry = counts[rbc::hidden_side(board, player)];
        ++entry.first;
        entry.second = board;
    }
    std::vector<std::pair<std::size_t, chess::Board>> sorted;
    for (const auto& [side, entry] : counts) sorted.push_back(entry);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    sorted.resize(std::min(sorted.size(), count));
    std::vector<chess::Board> boards;
    for (const auto& entry : sorted) boards.push_back(entry.second);
    BoardSet set(boards, player);
    const std::size_t size = set.size();
    const Zeros<double> shares(size);
    for (std::size_t i = 0; i < size; ++i)
        shares.data()[i] =
            static_cast<double>(counts.at(set.hidden()[i]).first) / static_cast<double>(particles.size());
    return nb::make_tuple(std::move(set), shares.array(shares.data(), {size}));
}

void set_priors(OwnedPlanner& self, const Values& priors) {
    const auto guard = self.ownership.hold();
    auto* search = self.planner.search();
    if (!search) throw std::logic_error("there is no search");
    if (priors.shape(0) != search->root().size())
        throw nb::value_error("one prior for each action is expected");
    search->set_priors({priors.data(), priors.size()});
}

std::vector<std::size_t> particle_sizes(const OwnedPlanner& self) {
    const auto guard = self.ownership.hold();
    std::vector<std::size_t> result;
    for (const auto& particle : self.planner.filter().particles())
        result.push_back(particle.opponent.boards().size());
    return result;
}

}  // namespace

void bind_rbc_planner(nb::module_& m) {
    nb::class_<PlannerConfig> config(m, "RbcPlannerConfig",
                                     "The constants of deep synoptic Monte Carlo planning "
                                     "(docs/rbc-planner.md). Raises ValueError for a value out of range.");
    bind_options(config, "RbcPlannerConfig", PlannerConfig::options());
    using P = OwnedPlanner;
    nb::class_<P>(m, "RbcPlanner",
                  "Deep synoptic Monte Carlo planning for one player of a game (docs/rbc-planner.md). While "
                  "`select` returns synopses, `evaluate` takes the network's results.")
        .def(
            "__init__",
            [](P* self, const PlannerConfig& config, int player, const State<rbc::Position>& start,
               std::uint64_t seed) {
                if (player != 0 && player != 1)
                    throw nb::value_error("player must be 0 (White) or 1 (Black)");
                new (self)
                    P{Planner(config, static_cast<chess::Color>(player), start.position().board(), seed)};
            },
            nb::arg("config"), nb::arg("player"), nb::arg("start"), nb::arg("seed"),
            "A planner at the position `start`, which both players are assumed to know.")
        .def(
            "copy",
            [](const P& self) {
                const auto guard = self.ownership.hold();
                return P{self.planner};
            },
            "A copy without the search.")
        .def(
            "moved",
            [](P& self, int request, int taken, std::optional<int> captured) {
                const rbc::MoveOutcome outcome{checked(request), checked(taken), checked_square(captured)};
                const auto guard = self.ownership.hold();
                nb::gil_scoped_release release;
                self.planner.moved(outcome);
            },
            nb::arg("request"), nb::arg("taken"), nb::arg("capture_square").none(),
            "The player's request became the move `taken`. Ends the search and begins the opponent's turn.")
        .def(
            "opponent_moved",
            [](P& self, std::optional<int> captured) {
                const auto guard = self.ownership.hold();
                self.planner.observe_reply(checked_square(captured));
            },
            nb::arg("capture_square").none(), "The opponent has moved and captured on this square, or not.")
        .def(
            "draw",
            [](P& self, const BoardSet& possible, bool exact) {
                const auto guard = self.ownership.hold();
                nb::gil_scoped_release release;
                self.planner.draw(possible, exact);
            },
            nb::arg("possible"), nb::arg("exact"),
            "Draws particles that agree with the player's possible boards; `exact` if these are all of them. "
            "Ends the search.")
        .def(
            "begin_search",
            [](P& self, const BoardSet& possible, bool moving) {
                const auto guard = self.ownership.hold();
                if (!possible.size()) throw nb::value_error("there are no possible boards");
                nb::gil_scoped_release release;
                self.planner.begin_search(possible, moving);
            },
            nb::arg("possible"), nb::arg("moving"),
            "Begins a search for a move, or for a sense. Raises RuntimeError before `draw`.")
        .def(
            "end_search",
            [](P& self) {
                const auto guard = self.ownership.hold();
                self.planner.end_search();
            },
            "Drops the search.")
        .def("select", &select,
             nb::sig("def select(self) -> tuple[numpy.typing.NDArray[numpy.uint64], "
                     "numpy.typing.NDArray[numpy.bool]]"),
             "The synopses to evaluate next: uint64 [n, 104], and whether the opponent is to act, bool "
             "[n].\n\nThey are those of the search, or without a search those of the opponent's turn. n is 0 "
             "if nothing is to be evaluated.")
        .def("evaluate", &evaluate, nb::arg("logits"), nb::arg("values"),
             "The network's results for the last `select`: policy logits float32 [n, 4161], values for the "
             "player to act float32 [n], from -1 to 1. Raises ValueError if the sizes do not match.")
        .def("root_actions", &root_actions,
             nb::sig("def root_actions(self) -> tuple[numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
             "The actions of the root: codes, priors, visits, mean and smallest values (NaN without visits).")
        .def_prop_ro(
            "value",
            [](const P& p) {
                return with_search(p, [](const auto& s) { return static_cast<double>(s.value()); });
            },
            "The network's value at the root, from -1 to 1.")
        .def_prop_ro(
            "playouts", [](const P& p) { return with_search(p, [](const auto& s) { return s.playouts(); }); },
            "Finished playouts of the search.")
        .def_prop_ro(
            "nodes", [](const P& p) { return with_search(p, [](const auto& s) { return s.nodes(); }); },
            "Actions played in playouts of the search.")
        .def_prop_ro(
            "decided", [](const P& p) { return with_search(p, [](const auto& s) { return s.decided(); }); },
            "Playouts of the search that ended with a captured king or a certain win.")
        .def_prop_ro(
            "accepted", [](const P& p) { return p.planner.filter().accepted(); },
            "The probability that a candidate of the last `draw` was accepted.")
        .def_prop_ro(
            "singletons", [](const P& p) { return p.planner.filter().singletons(); },
            "Particles of the last `draw` that are single possible boards.")
        .def_prop_ro(
            "tree_size", [](const P& p) { return p.planner.tree_size(); }, "Nodes in the hash table.")
        .def("particle_fens", &particle_fens, "The true board of each particle.")
        .def("particle_boards", &particle_boards, nb::arg("count"),
             nb::sig("def particle_boards(self, count: int) -> tuple[RbcBoardSet, "
                     "numpy.typing.NDArray[numpy.float64]]"),
             "Up to `count` of the most frequent true boards of the particles, and the share of the "
             "particles on each: float64 [boards]. Raises RuntimeError before `draw`.")
        .def("set_priors", &set_priors, nb::arg("priors"),
             "Replaces the priors of the root, float32 in the order of `root_actions`. Raises ValueError.")
        .def("particle_sizes", &particle_sizes,
             "The number of boards that the opponent thinks possible in each particle.");
    m.def(
        "rbc_policy_index",
        [](int player, int action) {
            if (player != 0 && player != 1) throw nb::value_error("player must be 0 (White) or 1 (Black)");
            if (action == rbc::no_sense) throw nb::value_error("the policy has no number for no sense");
            return rbc::policy_index(static_cast<chess::Color>(player), checked(action));
        },
        nb::arg("player"), nb::arg("action"),
        "The number of an action, 0 to 4160, in the policy of the planner's network: 64 senses, 64 * 64 "
        "moves by origin and destination, the pass; ranks are reversed for Black. "
        "Raises ValueError for no sense.");
}

}  // namespace sparring::bindings
