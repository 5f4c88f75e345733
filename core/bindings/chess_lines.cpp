// The class ChessLineSearch.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <optional>

#include "bindings/alphabeta.hpp"
#include "chess/line_search.hpp"

namespace sparring::bindings {

namespace {

using S = State<chess::Position>;
using Shorts = nb::ndarray<const std::int16_t, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;

/// A LineSearch behind a lock. A thread that waits for the lock does not hold the interpreter's.
class LockedLineSearch {
 public:
    LockedLineSearch(const Shorts& first, const Shorts& first_bias, const Shorts& last,
                     const Words& last_bias, std::size_t megabytes)
        : search_(chess::ValueNetwork({{first.data(), first.size()},
                                       {first_bias.data(), first_bias.size()},
                                       {last.data(), last.size()},
                                       {last_bias.data(), last_bias.size()}}),
                  megabytes << 20) {}

    chess::LineResult search(const S& state, const search::Limits& limits, int lines,
                             const std::vector<int>& only) {
        if (state.outcome().over()) throw nb::value_error("nothing to search: the game is over");
        std::vector<Move> moves(only.begin(), only.end());
        chess::LineResult result;
        {
            const nb::gil_scoped_release release;
            const std::scoped_lock lock(searching_);
            result = search_.search(state.node(), limits, lines, moves);
        }
        raise_pending();
        return result;
    }
    void clear() {
        const nb::gil_scoped_release release;
        const std::scoped_lock lock(searching_);
        search_.clear();
    }
    void stop() { search_.stop(); }
    int evaluate(const S& state) const { return search_.evaluate(state.position().board()); }

 private:
    chess::LineSearch search_;
    std::mutex searching_;
};

}  // namespace

void bind_chess_lines(nb::module_& m) {
    nb::class_<LockedLineSearch>(m, "ChessLineSearch",
                                 "Alpha-beta search of lines of chess with a value network.\n\nThe "
                                 "transposition table is kept between "
                                 "searches. One search runs at a time; other threads wait.")
        .def(
            nb::init<const Shorts&, const Shorts&, const Shorts&, const Words&, std::size_t>(),
            nb::arg("first"), nb::arg("first_bias"), nb::arg("last"), nb::arg("last_bias"),
            nb::arg("megabytes") = 32,
            "The layers of core/chess/value_network.hpp; `megabytes` is the size of the transposition table. "
            "Raises ParseError.")
        .def(
            "search",
            [](LockedLineSearch& s, const S& state, std::uint64_t nodes, int lines,
               const std::vector<int>& only, std::optional<int> depth) {
                search::Limits limits;
                limits.interrupted = signal_pending;
                limits.nodes = nodes;
                if (depth) limits.depth = std::clamp(*depth, 1, limits.depth);
                const chess::LineResult result = s.search(state, limits, lines, only);
                nb::list found;
                for (const auto& [moves, score] : result.lines)
                    found.append(nb::make_tuple(score, std::vector<int>(moves.begin(), moves.end())));
                return nb::make_tuple(found, result.depth, result.nodes);
            },
            nb::arg("state"), nb::arg("nodes"), nb::kw_only(), nb::arg("lines") = 1,
            nb::arg("only") = std::vector<int>(), nb::arg("depth") = nb::none(),
            nb::sig("def search(self, state: ChessState, nodes: int, *, lines: int = 1, only: "
                    "collections.abc.Sequence[int] = [], depth: int | None = None) -> "
                    "tuple[list[tuple[int, list[int]]], int, int]"),
            "Searches the best `lines` moves of a state, among `only` unless it is empty.\n\n"
            "Returns the lines, best first, as scores and moves, the depth in plies, and the number of "
            "positions searched. A score is in centipawns for the side to move; a mate is 1,000,000 less the "
            "plies to it, and proven. The result depends on the searches since `clear`. Raises ValueError if "
            "the game is over.")
        .def("evaluate", &LockedLineSearch::evaluate, nb::arg("state"),
             "The network's centipawns for the side to move, without search.")
        .def("clear", &LockedLineSearch::clear, "Forgets the earlier searches.")
        .def("stop", &LockedLineSearch::stop, "Ends the search of another thread.");
}

}  // namespace sparring::bindings
