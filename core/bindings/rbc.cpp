#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <numeric>

#include "bindings/games.hpp"
#include "bindings/state.hpp"
#include "game/random.hpp"
#include "rbc/boards.hpp"
#include "rbc/judge.hpp"
#include "rbc/position.hpp"

namespace sparring::bindings {

namespace {

using rbc::Boards;
using rbc::Position;
using S = State<Position>;
using Symbol = std::optional<std::string>;

Symbol symbol(char c) { return c ? Symbol(std::string(1, c)) : std::nullopt; }

chess::Square checked_square(int square) {
    if (square < 0 || square > 63) throw nb::value_error("a square is a number from 0 (a1) to 63 (h8)");
    return square;
}

std::optional<chess::Square> checked_square(std::optional<int> square) {
    return square ? std::optional(checked_square(*square)) : std::nullopt;
}

/// The window of a sense as reconchess lists it: rank above first, files from a to h.
std::vector<std::pair<int, Symbol>> sense(const S& state, int centre) {
    checked_square(centre);
    std::vector<std::pair<int, Symbol>> result;
    for (const int rank : {1, 0, -1}) {
        for (const int file : {-1, 0, 1}) {
            const int r = chess::rank_of(centre) + rank, f = chess::file_of(centre) + file;
            if (r < 0 || r > 7 || f < 0 || f > 7) continue;
            result.emplace_back(r * 8 + f, symbol(state.position().board().symbol_at(r * 8 + f)));
        }
    }
    return result;
}

/// Where a request would end: what is taken (a pass where nothing can be), and what it captures.
std::pair<int, std::optional<int>> result_of(const S& state, int request) {
    const auto& board = state.position().board();
    MoveList list;
    rbc::requests(board, list);
    if (request != rbc::pass && !list.contains(checked(request))) {
        throw IllegalMove(state.position().move_text(checked(request)) + " cannot be asked for in " +
                          state.position().text());
    }
    const Move taken = rbc::taken(board, checked(request));
    return {taken, rbc::capture_square(board, taken)};
}

std::vector<rbc::Seen> seen_pieces(const std::vector<std::pair<int, Symbol>>& pieces) {
    std::vector<rbc::Seen> result;
    for (const auto& [square, piece] : pieces) {
        if (piece && piece->size() != 1) throw nb::value_error("pieces are FEN letters or None");
        result.push_back({checked_square(square), piece ? (*piece)[0] : '\0'});
    }
    return result;
}

Boards make_boards(const std::vector<S>& states) {
    std::vector<chess::Board> boards;
    for (const S& state : states) {
        if (state.position().side() != states[0].position().side())
            throw nb::value_error("the states have different sides to move");
        boards.push_back(state.position().board());
    }
    return Boards(boards);
}

/// Up to `count` different boards in an order that the seed decides.
std::vector<chess::Board> draw(const Boards& boards, std::size_t count, std::uint64_t seed) {
    std::vector<std::uint32_t> order(boards.size());
    std::iota(order.begin(), order.end(), 0);
    Random random(seed);
    std::vector<chess::Board> result;
    for (std::size_t i = 0; i < order.size() && i < count; ++i) {
        std::swap(order[i], order[i + random.below(static_cast<std::uint32_t>(order.size() - i))]);
        result.push_back(boards.boards()[order[i]]);
    }
    return result;
}

std::vector<S> sample(const Boards& boards, std::size_t count, std::uint64_t seed) {
    std::vector<S> result;
    for (const auto& board : draw(boards, count, seed)) result.push_back(S(Position(board, false)));
    return result;
}

nb::list judge(const Boards& boards, std::size_t count, std::uint64_t nodes, std::uint64_t seed) {
    std::vector<rbc::MeanScore> scores;
    {
        nb::gil_scoped_release release;
        scores = rbc::judge_requests(draw(boards, count, seed), nodes);
    }
    nb::list result;
    for (const auto& [request, score] : scores)
        result.append(nb::make_tuple(static_cast<int>(request), score));
    return result;
}

void bind_boards(nb::module_& m) {
    using release = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<Boards>(m, "RbcBoards", "The boards that are possible for a player; immutable.")
        .def_static("of", &make_boards, nb::arg("states"), "The distinct boards of these states.")
        .def("__len__", &Boards::size)
        .def("__contains__", [](const Boards& b, const S& s) { return b.contains(s.position().board()); })
        .def("sample", &sample, nb::arg("count"), nb::arg("seed"),
             "Up to `count` of the boards, as states whose move is due.")
        .def(
            "keep",
            [](const Boards& b, std::size_t count, std::uint64_t seed) {
                return Boards(draw(b, count, seed));
            },
            nb::arg("count"), nb::arg("seed"),
            "At most `count` of the boards, drawn at random: for when there are too many to follow.")
        .def("judge", &judge, nb::arg("count"), nb::arg("nodes"), nb::arg("seed"),
             nb::sig("def judge(self, count: int, nodes: int, seed: int) -> list[tuple[int, float]]"),
             "Requests with their mean score over up to `count` boards, each searched for `nodes` positions; "
             "best first.")
        .def("successors", &Boards::successors, release(), "The boards after any move or pass.")
        .def(
            "after_opponent",
            [](const Boards& b, std::optional<int> captured) {
                return b.after_opponent(checked_square(captured));
            },
            nb::arg("capture_square").none(), release(),
            "The boards after a move that captured on that square, or nowhere.")
        .def(
            "after_sense",
            [](const Boards& b, const std::vector<std::pair<int, Symbol>>& seen) {
                return b.after_sense(seen_pieces(seen));
            },
            nb::arg("seen"), "The boards that show these pieces on these squares.")
        .def(
            "after_move",
            [](const Boards& b, int request, int taken, std::optional<int> captured) {
                return b.after_move(checked(request), checked(taken), checked_square(captured));
            },
            nb::arg("request"), nb::arg("taken"), nb::arg("capture_square").none(), release(),
            "The boards after one's own move had this result.")
        .def("expected_sizes", &Boards::expected_sizes, release(),
             "For each of the 64 senses, how many boards would remain on average.")
        .def(
            "certain",
            [](const Boards& b) {
                std::vector<Symbol> result;
                for (const char c : b.certain()) result.push_back(symbol(c));
                return result;
            },
            "For each square the piece that every board has there, None where all are empty, '?' where they "
            "differ.");
}

}  // namespace

void bind_rbc(nb::module_& m) {
    bind_state<Position>(m, "RbcState",
                         "The truth of a reconnaissance blind chess game and the line that led to it.")
        .def_static("initial", [] { return S(Position()); })
        .def_prop_ro(
            "sensing", [](const S& s) { return s.position().sensing(); },
            "Whether the player to move has to sense first.")
        .def("sense", &sense, nb::arg("square"),
             "What a sense of the square shows: squares and pieces, in reconchess's order.")
        .def("result_of", &result_of, nb::arg("request"),
             "The move that a request becomes, and the square where it captures.");
    bind_boards(m);
}

}  // namespace sparring::bindings
