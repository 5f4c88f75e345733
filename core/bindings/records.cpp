#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "game/errors.hpp"
#include "records/pgn.hpp"
#include "records/sgf.hpp"

namespace sparring::bindings {

namespace nb = nanobind;

namespace {

using records::PgnGame;
using records::PgnParser;
using records::SgfGame;
using records::SgfParser;

/// Text from a file in an unknown encoding: what is not UTF-8 is replaced.
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

/// The moves of a packed chess game. Games on record may go on where the rules would end them, so this
/// asks the position alone.
std::vector<std::string> chess_moves(std::optional<std::string_view> start, nb::bytes packed) {
    chess::Position position = start ? chess::Position::parse(*start) : chess::Position();
    std::vector<std::string> result;
    MoveList list;
    for (const char c : std::string_view(packed.c_str(), packed.size())) {
        list.clear();
        position.moves(list);
        list.sort();
        const std::size_t index = static_cast<unsigned char>(c);
        if (index >= list.size())
            throw IllegalMove("packed move " + std::to_string(result.size() + 1) +
                              " is none of the legal ones");
        result.push_back(chess::uci(list[index]));
        position.play(list[index]);
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
            nb::arg("data"), "Takes the next bytes of a file.")
        .def("finish", &Parser::finish, "The file has ended.")
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
    nb::class_<SgfGame>(m, "SgfGame", "The main line of a game of Go; one with an error has no more.")
        .def_ro("line", &SgfGame::line, "The line of the file where the game begins.")
        .def_ro("end", &SgfGame::end, "Bytes of the file up to the game's end: reading can go on from there.")
        .def_prop_ro("properties", &properties, nb::sig("def properties(self) -> dict[str, bytes]"),
                     "The facts of the game, undecoded: CA may say in which charset they are.")
        .def_ro("start", &SgfGame::start, "The text of the position before the first move.")
        .def_prop_ro(
            "moves", [](const SgfGame& g) { return raw(g.moves); },
            "Two bytes a move: its index among the legal moves.")
        .def_prop_ro(
            "clocks", [](const SgfGame& g) { return raw(g.clocks); },
            "Tenths of a second left after each move as int32, -1 where unknown; empty if none is given.")
        .def_prop_ro(
            "error", [](const SgfGame& g) { return text(g.error); }, nb::sig("def error(self) -> str"),
            "What is wrong with the game; empty when nothing is.")
        .def_ro("defect", &SgfGame::defect,
                "Whether the error is that a whole record is no game of alternating moves.");
    bind_parser<SgfParser>(m, "SgfParser", "Reads SGF in pieces of any size, in bounded memory.");
}

}  // namespace

void bind_records(nb::module_& m) {
    nb::class_<PgnGame>(m, "PgnGame", "One game of a PGN file; one with an error keeps the moves before it.")
        .def_ro("line", &PgnGame::line, "The line of the file where the game begins.")
        .def_ro("end", &PgnGame::end, "Bytes of the file up to the game's end: reading can go on from there.")
        .def_prop_ro("tags", &tags, nb::sig("def tags(self) -> dict[str, str]"))
        .def("tag_values", &tag_values, nb::arg("names"),
             nb::sig("def tag_values(self, names: tuple[str, ...]) -> list[str | None]"),
             "The first value of each of these tags, None where there is none: quicker than `tags`.")
        .def_prop_ro(
            "moves", [](const PgnGame& g) { return raw(g.moves); },
            "A byte a move: its index among the legal moves.")
        .def_prop_ro(
            "clocks", [](const PgnGame& g) { return raw(g.clocks); },
            "Tenths of a second left after each move as int32, -1 where unknown; empty if none is given.")
        .def_prop_ro(
            "evals", [](const PgnGame& g) { return raw(g.evals); },
            "Centipawns for White after each move as int16 (mate in n is 32000 - n), -32768 where unknown; "
            "empty if none is given.")
        .def_prop_ro("result", [](const PgnGame& g) { return g.result; })
        .def_prop_ro(
            "error", [](const PgnGame& g) { return text(g.error); }, nb::sig("def error(self) -> str"),
            "What is wrong with the game; empty when nothing is.");
    m.def("chess_moves", &chess_moves, nb::arg("start").none(), nb::arg("packed"),
          "The moves of a packed chess game in UCI, from a FEN or the usual beginning.");
    bind_parser<PgnParser>(m, "PgnParser", "Reads PGN in pieces of any size, in bounded memory.");
    bind_sgf(m);
}

}  // namespace sparring::bindings
