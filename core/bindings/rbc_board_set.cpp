// The class RbcBoardSet.
#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>

#include <limits>

#include "bindings/policy.hpp"
#include "bindings/squares.hpp"
#include "rbc/analysis.hpp"
#include "rbc/board_search.hpp"
#include "rbc/board_set.hpp"
#include "rbc/position.hpp"
#include "rbc/repair.hpp"
#include "rbc/synopsis.hpp"

namespace sparring::bindings {

namespace {

using rbc::BoardSet;
using rbc::Position;
using S = State<Position>;

std::vector<rbc::SensedSquare> seen_pieces(const std::vector<std::pair<int, Symbol>>& pieces) {
    std::vector<rbc::SensedSquare> result;
    for (const auto& [square, piece] : pieces) {
        if (piece && piece->size() != 1) throw nb::value_error("pieces must be FEN letters or None");
        result.push_back({checked_square(square), piece ? (*piece)[0] : '\0'});
    }
    return result;
}

chess::Color checked_player(int player) {
    if (player != 0 && player != 1) throw nb::value_error("player must be 0 (White) or 1 (Black)");
    return static_cast<chess::Color>(player);
}

BoardSet make_boards(const std::vector<S>& states, int player) {
    std::vector<chess::Board> boards;
    for (const S& state : states) boards.push_back(state.position().board());
    return BoardSet(boards, checked_player(player));
}

std::vector<chess::Board> sampled(const BoardSet& boards, std::size_t count, std::uint64_t seed) {
    std::vector<chess::Board> result;
    for (const std::size_t i : boards.sample_indices(count, seed)) result.push_back(boards.board(i));
    return result;
}

nb::ndarray<nb::numpy, std::int64_t> indices(const BoardSet& boards, const BoardSet& other) {
    const Zeros<std::int64_t> result(other.size());
    for (std::size_t i = 0; i < other.size(); ++i) {
        const auto index = boards.index(other.hidden()[i]);
        result.data()[i] = index ? static_cast<std::int64_t>(*index) : -1;
    }
    return result.array(result.data(), {other.size()});
}

std::vector<S> sample(const BoardSet& boards, std::size_t count, std::uint64_t seed) {
    std::vector<S> result;
    for (const auto& board : sampled(boards, count, seed)) result.push_back(S(Position(board, false)));
    return result;
}

std::vector<std::string> fens(const BoardSet& boards, std::size_t count) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < boards.size() && i < count; ++i) result.push_back(boards.board(i).fen());
    return result;
}

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

unsigned checked_threads(int threads) {
    if (threads < 1) throw nb::value_error("threads must be at least 1");
    return static_cast<unsigned>(threads);
}

BoardSet after_opponent(const BoardSet& boards, std::optional<int> captured,
                        const std::vector<std::pair<int, Symbol>>& seen, std::size_t limit, int threads,
                        std::uint64_t salt) {
    const auto square = checked_square(captured);
    const auto pieces = seen_pieces(seen);
    const rbc::ExpansionLimits limits{limit, checked_threads(threads), salt};
    nb::gil_scoped_release release;
    return boards.after_opponent(square, pieces, limits);
}

using Numbers = nb::ndarray<nb::numpy, double>;

Numbers sense_values(const BoardSet& boards, int threads) {
    const unsigned checked = checked_threads(threads);
    const Zeros<double> block(64 * 4);
    {
        nb::gil_scoped_release release;
        const auto values = rbc::sense_values(boards, checked);
        double* out = block.data();
        for (const auto& [expected_size, entropy, parts, largest] : values) {
            for (const double value : {expected_size, entropy, double(parts), double(largest)})
                *out++ = value;
        }
    }
    return block.array(block.data(), {64, 4});
}

Numbers piece_shares(const BoardSet& boards, std::size_t count) {
    if (!boards.size() || !count) throw nb::value_error("shares need at least one board");
    const Zeros<double> block(12 * 64);
    const auto shares = boards.piece_shares(count);
    for (std::size_t i = 0; i < shares.size(); ++i)
        std::copy(shares[i].begin(), shares[i].end(), block.data() + 64 * i);
    return block.array(block.data(), {12, 64});
}

nb::ndarray<nb::numpy, std::uint32_t> partition(const BoardSet& boards, int square) {
    checked_square(square);
    const Zeros<std::uint32_t> block(boards.size());
    {
        nb::gil_scoped_release release;
        const auto numbers = rbc::partition(boards, square);
        std::copy(numbers.begin(), numbers.end(), block.data());
    }
    return block.array(block.data(), {boards.size()});
}

void bind_senses(nb::class_<BoardSet>& boards) {
    boards
        .def("sense_values", &sense_values, nb::arg("threads") = 1,
             "The value of each sense, float64 [64, 4]: expected number of boards afterwards, information in "
             "bits, number of different results, boards with the most common result.")
        .def("undominated_senses", &rbc::undominated_senses, nb::call_guard<nb::gil_scoped_release>(),
             "The senses that no other sense dominates, by the squares on which the boards differ.")
        .def("partition", &partition, nb::arg("square"),
             "The result of a sense of `square` on each board, as an index: uint32 [boards]. Boards with "
             "equal indices give the same result.");
}

/// The requests [M], their scores [boards, M], and whether they attack the opponent's king [boards, M].
nb::tuple evaluate_requests(const BoardSet& boards, int depth, int margin, int threads) {
    if (depth < 1 || margin < 0) throw nb::value_error("depth must be at least 1 and margin at least 0");
    const unsigned checked = checked_threads(threads);
    rbc::RequestEvaluations result;
    {
        nb::gil_scoped_release release;
        result = rbc::evaluate_requests(boards, depth, margin, checked);
    }
    const std::size_t width = result.requests.size();
    const Zeros<std::uint16_t> requests(width);
    const Zeros<std::int32_t> scores(result.evaluations.size());
    const Zeros<bool> attacks(result.evaluations.size());
    std::copy(result.requests.begin(), result.requests.end(), requests.data());
    for (std::size_t i = 0; i < result.evaluations.size(); ++i) {
        scores.data()[i] = result.evaluations[i].score;
        attacks.data()[i] = result.evaluations[i].attacks;
    }
    return nb::make_tuple(requests.array(requests.data(), {width}),
                          scores.array(scores.data(), {boards.size(), width}),
                          attacks.array(attacks.data(), {boards.size(), width}));
}

void bind_request_evaluation(nb::class_<BoardSet>& boards) {
    boards.def("evaluate_requests", &evaluate_requests, nb::arg("depth"), nb::arg("margin"),
               nb::arg("threads") = 1,
               nb::sig("def evaluate_requests(self, depth: int, margin: int, threads: int = 1) -> "
                       "tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], "
                       "numpy.typing.NDArray[numpy.bool]]"),
               "Evaluates every request on every board by an alpha-beta search of `depth` plies plus "
               "quiescence, as if both players knew the board.\n\nReturns the requests, uint16 [M]; their "
               "scores in centipawns, int32 [boards, M], 100,000 for a captured king; and whether the "
               "request attacks the opponent's king while the own king is safe, bool [boards, M]. Scores "
               "more than `margin` below the best of a board are upper bounds. Raises ValueError.");
}

using Words = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::ndarray<nb::numpy, std::uint64_t> synopsis(const BoardSet& boards, bool moving,
                                               std::optional<int> last_from, std::optional<int> last_to,
                                               std::optional<int> own_capture,
                                               std::optional<int> opposing_capture,
                                               std::optional<Words> previous, std::size_t count,
                                               std::uint64_t seed) {
    if (!boards.size() || !count) throw nb::value_error("a synopsis needs at least one board");
    if (previous && previous->shape(0) != rbc::synopsis_size)
        throw nb::value_error("the previous synopsis must have 104 planes");
    const rbc::SynopsisContext synopsis_context{moving, checked_square(last_from), checked_square(last_to),
                                                checked_square(own_capture),
                                                checked_square(opposing_capture)};
    const Zeros<std::uint64_t> block(rbc::synopsis_size);
    {
        nb::gil_scoped_release release;
        rbc::RememberedPlanes before{};
        if (previous) {
            rbc::Synopsis whole;
            std::copy_n(previous->data(), whole.size(), whole.begin());
            before = rbc::remembered_planes(whole);
        }
        const auto planes = boards.size() <= count
                                ? rbc::compute_synopsis(boards.known(), boards.hidden(), synopsis_context,
                                                        previous ? &before : nullptr)
                                : [&] {
                                      std::vector<rbc::HiddenSide> sampled;
                                      for (const std::size_t i : boards.sample_indices(count, seed))
                                          sampled.push_back(boards.hidden()[i]);
                                      return rbc::compute_synopsis(boards.known(), sampled, synopsis_context,
                                                                   previous ? &before : nullptr);
                                  }();
        std::copy(planes.begin(), planes.end(), block.data());
    }
    return block.array(block.data(), {rbc::synopsis_size});
}

std::vector<std::tuple<std::string, std::string, std::string>> synopsis_planes() {
    std::vector<std::tuple<std::string, std::string, std::string>> result;
    for (const auto& [name, fold, meaning] : rbc::synopsis_planes)
        result.emplace_back(name, rbc::fold_name(fold), meaning);
    return result;
}

void bind_synopsis(nb::module_& m, nb::class_<BoardSet>& boards) {
    boards.def("synopsis", &synopsis, nb::kw_only(), nb::arg("moving"), nb::arg("last_from").none(),
               nb::arg("last_to").none(), nb::arg("last_own_capture").none(),
               nb::arg("last_opposing_capture").none(), nb::arg("previous").none(), nb::arg("count"),
               nb::arg("seed"),
               "The synopsis of up to `count` of the boards, drawn with `seed`: uint64 [104], bit 0 is "
               "a1.\n\n`moving`: whether the player is to move; the squares of the last moves and captures, "
               "or None; `previous`: the synopsis with which the player chose the move of its previous turn, "
               "or None. Raises ValueError.");
    m.def("rbc_synopsis_planes", &synopsis_planes,
          "Name, fold (constant, known, and, or, and by piece) and meaning of each of the 104 planes.");
}

void bind_wins(nb::class_<BoardSet>& boards) {
    using release = nb::call_guard<nb::gil_scoped_release>;
    boards
        .def(
            "king_captures",
            [](const BoardSet& b) {
                std::vector<std::pair<int, std::uint32_t>> result;
                for (const auto& [request, count] : rbc::king_captures(b))
                    result.emplace_back(request, count);
                return result;
            },
            "Requests that capture the king on some board, with the number of those boards, most first.")
        .def(
            "wins_after_sense",
            [](const BoardSet& b, int threads) { return rbc::wins_after_sense(b, checked_threads(threads)); },
            nb::arg("threads") = 1, release(),
            "For each of the 64 senses, the number of boards on which the best request after its result "
            "captures the king.")
        .def("with_king_attacked", &BoardSet::with_king_attacked, release(),
             "The boards on which the opponent attacks the player's king.")
        .def("threats", &rbc::threats, release(),
             "For each of the 64 squares, the number of boards on which the opponent can capture the "
             "player's piece there.")
        .def(
            "is_forced_win",
            [](const BoardSet& b, int threads) { return rbc::is_forced_win(b, checked_threads(threads)); },
            nb::arg("threads") = 1, release(),
            "Whether the player can capture the king in its next turn after every move of the opponent, who "
            "is to move.");
}

void bind_repairs(nb::module_& m, nb::class_<BoardSet>& boards) {
    using Seen = std::vector<std::pair<int, Symbol>>;
    using rbc::Guess;
    boards
        .def(
            "repair_capture",
            [](const BoardSet& b, std::optional<int> captured) {
                return rbc::repair_capture(b, checked_square(captured));
            },
            nb::arg("capture_square").none(),
            "The boards after an opponent's move, edited so that its nearest piece captures on "
            "`capture_square` (None: no capture). Raises ValueError if no board can be edited.")
        .def(
            "repair_sense",
            [](const BoardSet& b, const Seen& seen) { return rbc::repair_sense(b, seen_pieces(seen)); },
            nb::arg("seen"),
            "The boards, edited to show the result of a sense: (square, piece) pairs. Raises ValueError if "
            "no "
            "board can be edited.")
        .def(
            "repair_move",
            [](const BoardSet& b, int taken, std::optional<int> captured) {
                return rbc::repair_move(b, checked(taken), checked_square(captured));
            },
            nb::arg("taken"), nb::arg("capture_square").none(),
            "The boards after the player's move, edited so that it and its capture are possible. Raises "
            "ValueError if no board can be edited, for example if the player has no such piece.");
    nb::class_<Guess>(
        m, "RbcGuess",
        "A board that is consistent with the latest observations of a player. Unobserved pieces stay.")
        .def(
            "__init__",
            [](Guess* self, int player, const S& start) {
                new (self) Guess(checked_player(player), start.position().board());
            },
            nb::arg("player"), nb::arg("start"),
            "The guess of `player` (0 or 1) before the first observation. Raises ValueError.")
        .def_prop_ro(
            "player", [](const Guess& g) { return static_cast<int>(g.player()); }, "The player, 0 or 1.")
        .def_prop_ro(
            "state", [](const Guess& g) { return S(Position(g.board(), false)); },
            "The guess as a state in which the sense is done.")
        .def(
            "opponent_moved",
            [](Guess& g, std::optional<int> captured) { g.opponent_moved(checked_square(captured)); },
            nb::arg("capture_square").none(), "The opponent moved, and captured on this square, or not.")
        .def(
            "sensed", [](Guess& g, const Seen& seen) { g.sensed(seen_pieces(seen)); }, nb::arg("seen"),
            "The player sensed: (square, piece) pairs.")
        .def(
            "moved",
            [](Guess& g, int taken, std::optional<int> captured) {
                g.moved(checked(taken), checked_square(captured));
            },
            nb::arg("taken"), nb::arg("capture_square").none(),
            "The player's request became the move `taken`, and captured on this square, or not.");
}

}  // namespace

void bind_rbc_board_set(nb::module_& m) {
    using release = nb::call_guard<nb::gil_scoped_release>;
    auto boards =
        nb::class_<BoardSet>(m, "RbcBoardSet",
                             "The set of possible boards of a player, 24 bytes each; immutable. All boards have the same pieces of the player and the same side to move.")
            .def_static("of", &make_boards, nb::arg("states"), nb::arg("player"),
                        "The distinct boards of the states, from the view of `player`. Raises ValueError if the player's pieces differ.")
            .def("__len__", &BoardSet::size)
            .def("__contains__",
                 [](const BoardSet& b, const S& s) { return b.contains(s.position().board()); })
            .def_prop_ro(
                "player", [](const BoardSet& b) { return static_cast<int>(b.known().player); },
                "The player whose view this is: 0 (White) or 1 (Black).")
            .def_prop_ro(
                "to_move", [](const BoardSet& b) { return static_cast<int>(b.known().turn); },
                "The side to move, 0 or 1.")
            .def_prop_ro(
                "own_pieces",
                [](const BoardSet& b) {
                    const auto board = rbc::keyless_board(b.known(), {});
                    std::vector<std::pair<int, std::string>> result;
                    for (int s = 0; s < 64; ++s) {
                        if (const char c = board.symbol_at(s)) result.emplace_back(s, std::string(1, c));
                    }
                    return result;
                },
                "The player's own pieces: (square, FEN letter) pairs.")
            .def_prop_ro(
                "level", &BoardSet::level,
                "0 if the set is complete; else one in 2 ** level boards was kept because of a limit.")
            .def("sample", &sample, nb::arg("count"), nb::arg("seed"),
                 "Up to `count` distinct boards drawn with `seed`, as states in which the sense is done.")
            .def("fens", &fens, nb::arg("count") = all, release(), "The first `count` boards as FEN.")
            .def("subsample", &BoardSet::keep, nb::arg("count"), nb::arg("seed"), release(),
                 "A uniform sample of at most `count` of the boards.")
            .def("after_opponent", &after_opponent, nb::arg("capture_square").none(),
                 nb::arg("seen") = std::vector<std::pair<int, Symbol>>(), nb::arg("limit") = all,
                 nb::arg("threads") = 1, nb::arg("seed") = 0,
                 nb::sig("def after_opponent(self, capture_square: int | None, seen: collections.abc.Sequence[tuple[int, str | None]] = (), *, limit: int = ..., threads: int = 1, seed: int = 0) -> RbcBoardSet"),
                 "The boards after an opponent's move.\n\n`capture_square`: the square on which it captured, or None; `seen`: (square, piece) pairs of a sense after it. If there are more than `limit` boards, a uniform sample decided by `seed` is kept. Raises ValueError.")
            .def(
                "after_sense",
                [](const BoardSet& b, const std::vector<std::pair<int, Symbol>>& seen) {
                    return b.after_sense(seen_pieces(seen));
                },
                nb::arg("seen"),
                "The boards that agree with the result of a sense: (square, piece) pairs. Raises ValueError.")
            .def(
                "before_move",
                [](const BoardSet& b, int request, int taken, std::optional<int> captured) {
                    return b.before_move(checked(request), checked(taken), checked_square(captured));
                },
                nb::arg("request"), nb::arg("taken"), nb::arg("capture_square").none(), release(),
                "The boards on which the player's `request` becomes the move `taken` and captures on `capture_square` (None: no capture).")
            .def(
                "after_move",
                [](const BoardSet& b, int request, int taken, std::optional<int> captured) {
                    return b.after_move(checked(request), checked(taken), checked_square(captured));
                },
                nb::arg("request"), nb::arg("taken"), nb::arg("capture_square").none(), release(),
                "The boards after the player's `request` became the move `taken` and captured on `capture_square` (None: no capture).")
            .def(
                "leading_to",
                [](const BoardSet& b, const BoardSet& later, int taken, std::optional<int> captured,
                   std::optional<int> lost, int threads) {
                    return b.leading_to(later, checked(taken), checked_square(captured), checked_square(lost),
                                        checked_threads(threads));
                },
                nb::arg("later"), nb::arg("taken"), nb::arg("capture_square").none(),
                nb::arg("lost_square").none(), nb::arg("threads") = 1, release(),
                "The boards from which the player's move `taken`, capturing on `capture_square`, and a move of the opponent, capturing on `lost_square`, lead to a board of `later`.")
            .def("intersection", &BoardSet::common, nb::arg("other"), release(),
                 "The boards that are in `other`, too. With the set of the other player this is at most one board, because each player knows its own pieces.")
            .def("union", &BoardSet::united, nb::arg("other"), release(),
                 "The boards of both sets. Raises ValueError if what the player knows differs.")
            .def("indices", &indices, nb::arg("other"),
                 nb::sig("def indices(self, other: RbcBoardSet) -> numpy.typing.NDArray[numpy.int64]"),
                 "The index in this set of each board of `other`, -1 if it is not in it: int64 [boards].")
            .def(
                "known_pieces",
                [](const BoardSet& b) {
                    std::vector<Symbol> result;
                    for (const char c : b.known_pieces()) result.push_back(symbol(c));
                    return result;
                },
                "For each of the 64 squares the piece that stands there on every board: a FEN letter, None if empty on every board, '?' if boards differ.");
    boards.def(
        "piece_shares", &piece_shares, nb::arg("count"),
        "The share of the boards with each piece (PNBRQKpnbrqk) on each square: float64 [12, 64]; of a "
        "sample of `count` boards if there are more.");
    bind_senses(boards);
    bind_synopsis(m, boards);
    bind_wins(boards);
    bind_request_evaluation(boards);
    bind_repairs(m, boards);
}

}  // namespace sparring::bindings
