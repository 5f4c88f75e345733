#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "game/packed_moves.hpp"
#include "records/pgn.hpp"
#include "records/sgf.hpp"

namespace sparring::bindings {

namespace nb = nanobind;

namespace {

using records::PgnGame;
using records::PgnParser;
using records::SgfGame;
using records::SgfParser;

/// Text of a file. Bytes that are not UTF-8 are replaced by U+FFFD.
nb::object text(const std::string& bytes) {
    return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

template <class T>
nb::bytes raw(const std::vector<T>& values) {
    return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

nb::dict tags(const PgnGame& game) {
    nb::dict result;
    for (const auto& [name, value] : game.tags) result[text(name)] = text(value);
    return result;
}

/// The first value of each of these tags, or None.
nb::list tag_values(const PgnGame& game, nb::tuple names) {
    nb::list result;
    for (const nb::handle name : names) {
        const std::string* value = game.tag(nb::cast<std::string_view>(name));
        result.append(value ? text(*value) : nb::none());
    }
    return result;
}

/// The moves of a packed chess game. Draws by rule do not end it: recorded games may continue.
std::vector<std::string> chess_moves(std::optional<std::string_view> start, nb::bytes packed) {
    chess::Position position = start ? chess::Position::parse(*start) : chess::Position();
    std::vector<std::string> result;
    MoveList list;
    const std::string_view moves(packed.c_str(), packed.size());
    for (std::size_t ply = 0; ply < moves.size(); ++ply) {
        list.clear();
        position.moves(list);
        list.sort();
        const Move move = packed_move(moves, ply, 1, list);
        result.push_back(chess::uci(move));
        position.play(move);
    }
    return result;
}

/// A parser's `feed`, `finish` and `take`.
template <class Parser>
void bind_parser(nb::module_& m, const char* name, const char* doc) {
    nb::class_<Parser>(m, name, doc)
        .def(nb::init<>())
        .def(
            "feed",
            [](Parser& parser, nb::bytes bytes) {
                const std::string_view view(bytes.c_str(), bytes.size());
                nb::gil_scoped_release release;
                parser.feed(view);
            },
            nb::arg("data"), "Parses the next bytes of the file.")
        .def("finish", &Parser::finish, "Ends the file: completes the last game.")
        .def("take", &Parser::take, nb::rv_policy::move, "The games completed since the last call.");
}

nb::dict properties(const SgfGame& game) {
    nb::dict result;
    for (const auto& [name, value] : game.properties) {
        result[text(name)] = nb::bytes(value.data(), value.size());
    }
    return result;
}

void bind_sgf(nb::module_& m) {
    nb::class_<SgfGame>(m, "SgfGame",
                        "The main line of a game tree of an SGF file. If `error` is set, the moves before "
                        "the error are kept.")
        .def_ro("line", &SgfGame::line, "The number of the first line of the game in the file.")
        .def_ro("end", &SgfGame::end, "The offset in bytes of the end of the game. Reading can resume there.")
        .def_prop_ro("properties", &properties, nb::sig("def properties(self) -> dict[str, bytes]"),
                     "The game information, undecoded. The property CA may name the character set.")
        .def_ro("start", &SgfGame::start, "The text of the position before the first move.")
        .def_prop_ro(
            "moves", [](const SgfGame& g) { return raw(g.moves); },
            "Packed moves: the index among the legal moves, two bytes each.")
        .def_prop_ro(
            "clocks", [](const SgfGame& g) { return raw(g.clocks); },
            "Clocks after each move in tenths of a second, int32, -1 if unknown; empty if the file has none.")
        .def_prop_ro(
            "error", [](const SgfGame& g) { return text(g.error); }, nb::sig("def error(self) -> str"),
            "The error message; empty if the game is valid.")
        .def_ro("defect", &SgfGame::defect,
                "Whether the error is that a complete record is not a game of alternating moves.");
    bind_parser<SgfParser>(m, "SgfParser", "A streaming SGF parser with bounded memory.");
}

}  // namespace

void bind_records(nb::module_& m) {
    nb::class_<PgnGame>(m, "PgnGame",
                        "A game of a PGN file. If `error` is set, the moves before the error are kept.")
        .def_ro("line", &PgnGame::line, "The number of the first line of the game in the file.")
        .def_ro("end", &PgnGame::end, "The offset in bytes of the end of the game. Reading can resume there.")
        .def_prop_ro("tags", &tags, nb::sig("def tags(self) -> dict[str, str]"), "The tags of the game.")
        .def("tag_values", &tag_values, nb::arg("names"),
             nb::sig("def tag_values(self, names: tuple[str, ...]) -> list[str | None]"),
             "The value of each of these tags, or None. Faster than `tags`.")
        .def_prop_ro(
            "moves", [](const PgnGame& g) { return raw(g.moves); },
            "Packed moves: the index among the legal moves, one byte each.")
        .def_prop_ro(
            "clocks", [](const PgnGame& g) { return raw(g.clocks); },
            "Clocks after each move in tenths of a second, int32, -1 if unknown; empty if the file has none.")
        .def_prop_ro(
            "evals", [](const PgnGame& g) { return raw(g.evals); },
            "Evaluations after each move in centipawns for White, int16; mate in n is 32000 - n, unknown is "
            "-32768. Empty if the file has none.")
        .def_prop_ro(
            "result", [](const PgnGame& g) { return g.result; },
            "The result as the game's last token: 1-0, 0-1, 1/2-1/2 or *.")
        .def_prop_ro(
            "error", [](const PgnGame& g) { return text(g.error); }, nb::sig("def error(self) -> str"),
            "The error message; empty if the game is valid.");
    m.def("chess_moves", &chess_moves, nb::arg("start").none(), nb::arg("packed"),
          "The UCI moves of a packed chess game. `start` is a FEN, or None for the initial position. Raises "
          "ParseError or IllegalMove.");
    bind_parser<PgnParser>(m, "PgnParser", "A streaming PGN parser with bounded memory.");
    bind_sgf(m);
}

}  // namespace sparring::bindings
