// The class <Game>State: a position and the line of play before it. Every game has the same methods.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "game/packed_moves.hpp"
#include "game/perft.hpp"
#include "game/playout.hpp"
#include "game/state.hpp"

namespace sparring::bindings {

namespace nb = nanobind;

/// A move as a Python integer. Integers are cached: creating them would be most of the cost of `legal_moves`.
inline PyObject* move_object(Move move) {
    static std::array<PyObject*, 0x10000> made{};
    if (!made[move]) made[move] = PyLong_FromLong(move);
    Py_XINCREF(made[move]);
    return made[move];
}

inline nb::list to_list(const MoveList& moves) {
    nb::list result = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(moves.size())));
    for (std::size_t i = 0; i < moves.size(); ++i) {
        NB_LIST_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), move_object(moves[i]));
    }
    return result;
}

/// Encoded positions as a new NumPy array [states, planes, rows, columns].
template <GamePosition P>
nb::ndarray<nb::numpy, float> encode(const std::vector<const P*>& positions,
                                     std::array<std::size_t, 3> shape) {
    const std::size_t size = shape[0] * shape[1] * shape[2];
    auto* data = new float[std::max<std::size_t>(positions.size() * size, 1)];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i]->encode(data + i * size);
    return nb::ndarray<nb::numpy, float>(data, {positions.size(), shape[0], shape[1], shape[2]}, owner);
}

/// The text of a position with all of its rules: P::full_text, for games whose text() leaves some out.
template <GamePosition P>
std::string full_text(const P& position) {
    if constexpr (requires { position.full_text(); }) {
        return position.full_text();
    } else {
        return position.text();
    }
}

/// The contents of a pickle: the first position of the line, and the moves played from it.
template <GamePosition P>
std::tuple<std::string, std::vector<int>> start_and_moves(const State<P>& state) {
    std::vector<int> moves;
    const Node<P>* node = &state.node();
    for (; node->previous; node = node->previous.get()) moves.push_back(node->move);
    std::reverse(moves.begin(), moves.end());
    return {full_text(node->position), moves};
}

inline Move checked(int move) {
    if (move < 0 || move > 0xFFFF) throw IllegalMove("illegal move code " + std::to_string(move));
    return static_cast<Move>(move);
}

/// The state after moves, which may go on after a draw by rule.
template <GamePosition P>
State<P> replay(std::string_view start, const std::vector<int>& moves) {
    State<P> state(P::parse(start));
    for (const int move : moves) state = state.play_past_end(checked(move));
    return state;
}

/// The moves of the line, packed.
template <GamePosition P>
std::string pack_moves(const State<P>& state, int width) {
    std::string packed(static_cast<std::size_t>(state.node().ply) * static_cast<std::size_t>(width), '\0');
    MoveList list;
    for (const Node<P>* node = &state.node(); node->previous; node = node->previous.get()) {
        list.clear();
        P::legal_moves(*node->previous, list);
        const auto index = std::count_if(list.begin(), list.end(), [&](Move m) { return m < node->move; });
        write_packed(packed.data(), node->ply - 1, width, static_cast<std::size_t>(index));
    }
    return packed;
}

/// The state after packed moves.
template <GamePosition P>
State<P> unpack_moves(State<P> state, std::string_view packed, int width) {
    MoveList list;
    for (std::size_t ply = 0; ply < packed_size(packed, width); ++ply) {
        list.clear();
        P::legal_moves(state.node(), list);
        list.sort();
        state = state.play_past_end(packed_move(packed, ply, width, list));
    }
    return state;
}

inline int checked_width(int width) {
    if (width != 1 && width != 2) throw nb::value_error("the width of a packed move must be 1 or 2 bytes");
    return width;
}

template <GamePosition P>
nb::class_<State<P>> bind_state(nb::module_& m, const char* name, const char* doc) {
    using S = State<P>;
    return nb::class_<S>(m, name, doc)
        .def_static(
            "parse", [](std::string_view text) { return S(P::parse(text)); }, nb::arg("text"),
            "The state of a position given as text, in the format of `text`. Raises ParseError.")
        .def(
            "text", [](const S& s) { return s.position().text(); },
            "The position as one line of text, which `parse` reads.")
        .def_prop_ro(
            "to_move", [](const S& s) { return s.position().side(); },
            "The player to move: 0 moves first by the rules, 1 is the opponent.")
        .def_prop_ro(
            "ply", [](const S& s) { return s.node().ply; },
            "The number of moves since the start of the line.")
        .def_prop_ro(
            "key", [](const S& s) { return s.position().key(); },
            "A 64-bit hash key. Positions that the repetition rule treats as equal have equal keys.")
        .def_prop_ro(
            "outcome",
            [](const S& s) -> nb::object { return s.outcome().over() ? nb::cast(s.outcome()) : nb::none(); },
            nb::sig("def outcome(self) -> Outcome | None"),
            "The result of the game, or None if it is not over.")
        .def(
            "legal_moves",
            [](const S& s) {
                MoveList list;
                s.legal_moves(list);
                return to_list(list);
            },
            nb::sig("def legal_moves(self) -> list[int]"),
            "The legal moves in ascending order; empty if the game is over.")
        .def(
            "play", [](const S& s, int move) { return s.play(checked(move)); }, nb::arg("move"),
            "The state after a move. Raises IllegalMove if the move is not legal or the game is over.")
        .def(
            "play_past_end", [](const S& s, int move) { return s.play_past_end(checked(move)); },
            nb::arg("move"),
            "The state after a move, even if a draw by rule has ended the game: recorded games may continue. "
            "Raises IllegalMove.")
        .def(
            "move_text", [](const S& s, int move) { return s.position().move_text(checked(move)); },
            nb::arg("move"), "The text of a move, which `parse_move` reads.")
        .def(
            "parse_move",
            [](const S& s, std::string_view text) { return static_cast<int>(s.position().parse_move(text)); },
            nb::arg("text"), "The move of a text. It need not be legal. Raises ParseError.")
        .def_prop_ro(
            "previous",
            [](const S& s) -> nb::object { return s.has_previous() ? nb::cast(s.previous()) : nb::none(); },
            nb::sig("def previous(self) -> typing.Self | None"),
            "The state before the last move, or None at the start of the line.")
        .def_prop_ro(
            "last_move",
            [](const S& s) -> nb::object {
                return s.has_previous() ? nb::cast(static_cast<int>(s.node().move)) : nb::none();
            },
            nb::sig("def last_move(self) -> int | None"),
            "The move that led to this state, or None at the start of the line.")
        .def(
            "perft", [](const S& s, int depth) { return perft(s.position(), depth); }, nb::arg("depth"),
            nb::call_guard<nb::gil_scoped_release>(),
            "The number of move sequences of length `depth`. Draws "
            "by repetition or move count do not end a sequence.")
        .def(
            "playout",
            [](const S& s, std::uint64_t seed, std::uint32_t limit) {
                PlayoutResult result;
                {
                    nb::gil_scoped_release release;
                    result = playout(s, seed, limit);
                }
                return nb::make_tuple(result.outcome.over() ? nb::cast(result.outcome) : nb::none(),
                                      result.plies);
            },
            nb::arg("seed"), nb::arg("limit"),
            nb::sig("def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]"),
            "Plays uniformly random moves to the end of the game, or `limit` plies.\n\nReturns the outcome "
            "(None if the limit was reached) and the number of plies. The same seed gives the same moves.")
        .def_static(
            "encode",
            [](const std::vector<S>& states) {
                if (states.empty()) throw nb::value_error("encode needs at least one state");
                std::vector<const P*> positions;
                const auto shape = states[0].position().shape();
                for (const S& s : states) {
                    if (s.position().shape() != shape)
                        throw nb::value_error("encode needs boards of one size");
                    positions.push_back(&s.position());
                }
                return encode<P>(positions, shape);
            },
            nb::arg("states"),
            "The planes of the states, each seen by its side to move: float32 [states, planes, rows, "
            "columns], values from 0 to 1.\n\nRaises ValueError if there are no states or their boards "
            "differ in size.")
        .def(
            "__eq__",
            [](const S& a, nb::handle b) { return nb::isinstance<S>(b) && a == nb::cast<const S&>(b); },
            nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const S& s) { return static_cast<Py_hash_t>(s.position().hash() >> 2); })
        .def("__repr__",
             [name](const S& s) { return std::string(name) + "('" + full_text(s.position()) + "')"; })
        .def("__str__",
             [](nb::handle self) {
                 return nb::cast<std::string>(
                     nb::module_::import_("sparring.games.diagrams").attr("diagram_text")(self));
             })
        .def("_repr_svg_",
             [](nb::handle self) {
                 return nb::cast<std::string>(
                     nb::module_::import_("sparring.games.diagrams").attr("diagram_svg")(self));
             })
        .def(
            "pack_moves",
            [](const S& s, int width) {
                const std::string packed = pack_moves(s, checked_width(width));
                return nb::bytes(packed.data(), packed.size());
            },
            nb::arg("width"),
            "The moves since the start of the line, each as its index among the legal moves, little-endian "
            "in `width` bytes (1 or 2).\n\nRaises IllegalMove if an index does not fit.")
        .def(
            "unpack_moves",
            [](const S& s, nb::bytes packed, int width) {
                return unpack_moves(s, std::string_view(packed.c_str(), packed.size()), checked_width(width));
            },
            nb::arg("packed"), nb::arg("width"),
            "The state after moves that `pack_moves` packed with the same `width`. "
            "Raises ParseError or IllegalMove.")
        .def("__getstate__", &start_and_moves<P>)
        .def("__setstate__",
             [](S& s, const std::tuple<std::string, std::vector<int>>& line) {
                 new (&s) S(replay<P>(std::get<0>(line), std::get<1>(line)));
             })
        .def_static("replay", &replay<P>, nb::arg("start"), nb::arg("moves"),
                    "The state after `moves` from the position with the text `start`; moves after a draw by "
                    "rule are allowed. Raises ParseError or IllegalMove.");
}

}  // namespace sparring::bindings
