// Squares and pieces as arguments from Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "chess/bitboard.hpp"

namespace sparring::bindings {

/// A FEN letter, or None for an empty square.
using Symbol = std::optional<std::string>;

inline Symbol symbol(char c) { return c ? Symbol(std::string(1, c)) : std::nullopt; }

inline chess::Square checked_square(int square) {
    if (square < 0 || square > 63) throw nanobind::value_error("a square must be from 0 (a1) to 63 (h8)");
    return square;
}

inline std::optional<chess::Square> checked_square(std::optional<int> square) {
    return square ? std::optional(checked_square(*square)) : std::nullopt;
}

}  // namespace sparring::bindings
