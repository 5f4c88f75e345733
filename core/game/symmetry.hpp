// Board symmetries: rotations and reflections under which a game is unchanged.
//
// Symmetries are numbered from 0, the identity, to count - 1. A game specialises Symmetry in its own
// encoding.hpp.
#pragma once

#include <utility>

namespace sparring {

/// The symmetries of the game with positions P. A specialisation has
///   static constexpr int count;                                  // the identity included
///   static bool holds(const P&);                                 // whether they apply to this position
///   static int cell(const P&, int symmetry, int cell);           // the image of a cell of the planes
///   static Move move(const P&, int symmetry, Move move);         // the image of a move
/// `cell` and `move` are not called with the identity.
template <class P>
struct Symmetry;

/// The image of a cell of a square board under one of its eight symmetries. Bit 4 swaps rows and columns,
/// then bit 2 reverses the rows and bit 1 the columns. `size` is the number of rows.
constexpr int transformed_cell(int symmetry, int cell, int size) {
    int row = cell / size, column = cell % size;
    if (symmetry & 4) std::swap(row, column);
    if (symmetry & 2) row = size - 1 - row;
    if (symmetry & 1) column = size - 1 - column;
    return row * size + column;
}

}  // namespace sparring
