// The class RbcInfostate, and the bandit of the planner.
#include "bindings/policy.hpp"
#include "bindings/squares.hpp"
#include "rbc/infostate.hpp"
#include "rbc/planner_tree.hpp"

namespace sparring::bindings {

namespace {

using rbc::BoardSet;
using rbc::Infostate;
using S = State<rbc::Position>;

rbc::HiddenSide hidden(const Infostate& state, const S& truth) {
    return rbc::hidden_side(truth.position().board(), state.known().player);
}

Infostate make_infostate(const BoardSet& boards, bool moving, std::optional<S> truth, std::size_t count,
                         std::uint64_t seed) {
    if (!boards.size() || !count) throw nb::value_error("an infostate needs at least one board");
    Random random(seed);
    const rbc::HiddenSide side =
        truth ? rbc::hidden_side(truth->position().board(), boards.known().player)
              : boards.hidden()[random.below(static_cast<std::uint32_t>(boards.size()))];
    Infostate state(boards.known(), rbc::sample_with(boards, side, count, random));
    rbc::SynopsisContext context;
    context.moving = moving;
    state.set_context(context);
    return state;
}

std::vector<int> actions(const Infostate& state) {
    MoveList list;
    state.actions(list);
    return {list.begin(), list.end()};
}

BoardSet boards(const Infostate& state) {
    std::vector<chess::Board> result;
    for (const auto& side : state.boards()) result.push_back(rbc::whole_board(state.known(), side));
    return BoardSet(result, state.known().player);
}

using Numbers = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::size_t bandit(const rbc::PlannerConfig& config, const Numbers& priors, const Numbers& visits,
                   const Numbers& totals, const Numbers& worst, bool at_root, std::uint64_t seed) {
    const std::size_t n = priors.shape(0);
    if (!n || visits.shape(0) != n || totals.shape(0) != n || worst.shape(0) != n)
        throw nb::value_error("the arrays differ in size or are empty");
    std::vector<rbc::Edge> edges(n);
    for (std::size_t i = 0; i < n; ++i)
        edges[i] = {0, priors.data()[i], visits.data()[i], totals.data()[i], worst.data()[i]};
    Random random(seed);
    return rbc::bandit(edges, config, at_root, random);
}

}  // namespace

void bind_rbc_infostate(nb::module_& m) {
    nb::class_<Infostate>(
        m, "RbcInfostate",
        "An approximate infostate of a player: a sample of its possible boards, the true one among them "
        "(DSMCP paper, section 5). Playouts of the planner are made of these steps.")
        .def(
            "__init__",
            [](Infostate* self, const BoardSet& set, bool moving, std::optional<S> truth, std::size_t count,
               std::uint64_t seed) { new (self) Infostate(make_infostate(set, moving, truth, count, seed)); },
            nb::arg("boards"), nb::arg("moving"), nb::arg("truth").none() = nb::none(),
            nb::arg("count") = 128, nb::arg("seed") = 0,
            "Exactly `count` of the boards, or all, with `truth` among them. `moving`: whether the player is "
            "to move; else it is to sense. Raises ValueError.")
        .def("__len__", [](const Infostate& s) { return s.boards().size(); })
        .def_prop_ro("key", &Infostate::key, "A key of the boards and the phase, whatever their order.")
        .def_prop_ro(
            "wins", &Infostate::wins,
            "Whether the king can be captured for certain in this turn: a cheap test that misses some wins.")
        .def_prop_ro("boards", &boards, "The boards as a set.")
        .def("actions", &actions,
             "The undominated senses, or no sense; at the move the requests, promotions to queens only, and "
             "the pass.")
        .def(
            "sense",
            [](Infostate& s, int action, const S& truth) { s.sense(checked(action), hidden(s, truth)); },
            nb::arg("action"), nb::arg("truth"), "The player senses; `truth` is the true state.")
        .def(
            "move",
            [](Infostate& s, int request, const S& truth) {
                s.move(rbc::MoveOutcome::of(truth.position().board(), checked(request)));
            },
            nb::arg("request"), nb::arg("truth"),
            "The player moves; `truth` is the true state before the move.")
        .def(
            "reply",
            [](Infostate& s, std::optional<int> captured, const S& truth, std::size_t count,
               std::uint64_t seed) {
                Random random(seed);
                s.reply(checked_square(captured), hidden(s, truth), count, random);
            },
            nb::arg("capture_square").none(), nb::arg("truth"), nb::arg("count") = 128, nb::arg("seed") = 0,
            "The opponent moves: exactly `count` of the boards that can follow, or all; `truth` is the true "
            "state after the move.");
    m.def("rbc_bandit", &bandit, nb::arg("config"), nb::arg("priors"), nb::arg("visits"), nb::arg("totals"),
          nb::arg("worst"), nb::arg("at_root"), nb::arg("seed"),
          "Algorithm 1 of the DSMCP paper: the index of the action that a node chooses.\n\nfloat32 [actions] "
          "each: policy, visits, total and smallest values. Raises ValueError.");
}

}  // namespace sparring::bindings
