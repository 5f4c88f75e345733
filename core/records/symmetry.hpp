// Which turns and mirrorings leave a game the same, on the planes of its encoding and on its moves.
#pragma once

#include <cstddef>
#include <utility>

#include "breakthrough/position.hpp"
#include "chess/position.hpp"
#include "expendibots/position.hpp"
#include "expendibots/symmetry.hpp"
#include "go/position.hpp"
#include "rbc/position.hpp"
#include "shogi/position.hpp"

namespace sparring::records {

/// A cell of a square board after one of its eight symmetries: 1 mirrors left and right, 2 mirrors top and
/// bottom, 4 swaps rows and columns, the last of the three first. 0 changes nothing.
constexpr int transformed(int symmetry, int cell, int side) {
    int row = cell / side, column = cell % side;
    if (symmetry & 4) std::swap(row, column);
    if (symmetry & 2) row = side - 1 - row;
    if (symmetry & 1) column = side - 1 - column;
    return row * side + column;
}

/// For each game: how many symmetries there are; whether a position of a line has them; and where they
/// take a cell of its planes and a move.
template <class P>
struct Symmetry;

/// Left and right are alike once nobody can castle.
inline Move mirrored_chess_move(Move m) {
    return chess::make_move(chess::from_square(m) ^ 7, chess::to_square(m) ^ 7, chess::promotion(m));
}

template <>
struct Symmetry<chess::Position> {
    static constexpr int count = 2;
    static bool holds(const chess::Position& p) { return p.board().castling == 0; }
    static int cell(const chess::Position&, int, int cell) { return cell ^ 7; }
    static Move move(const chess::Position&, int, Move m) { return mirrored_chess_move(m); }
};

template <>
struct Symmetry<rbc::Position> {
    static constexpr int count = 2;
    static bool holds(const rbc::Position& p) { return p.board().castling == 0; }
    static int cell(const rbc::Position&, int, int cell) { return cell ^ 7; }
    static Move move(const rbc::Position&, int, Move m) {
        if (m == rbc::pass || m == rbc::no_sense) return m;
        if (m >= rbc::sense_base) return rbc::make_sense((m - rbc::sense_base) ^ 7);
        return mirrored_chess_move(m);
    }
};

template <>
struct Symmetry<shogi::Position> {
    static constexpr int count = 2;
    static bool holds(const shogi::Position&) { return true; }
    static int cell(const shogi::Position&, int symmetry, int cell) { return transformed(symmetry, cell, 9); }
    static Move move(const shogi::Position&, int, Move m) {
        if (m == shogi::declare_win) return m;
        const Move promotes = m & shogi::promoting;
        const int from = shogi::is_drop(m) ? shogi::origin(m) : other_file(shogi::origin(m));
        return static_cast<Move>(shogi::make_move(from, other_file(shogi::to_square(m))) | promotes);
    }

 private:
    static shogi::Square other_file(shogi::Square s) {
        return (8 - shogi::file_of(s)) * 9 + shogi::rank_of(s);
    }
};

template <>
struct Symmetry<go::Position> {
    static constexpr int count = 8;
    static bool holds(const go::Position&) { return true; }
    static int cell(const go::Position& p, int symmetry, int cell) {
        return transformed(symmetry, cell, p.size());
    }
    static Move move(const go::Position& p, int symmetry, Move m) {
        return m == p.pass() ? m : static_cast<Move>(transformed(symmetry, m, p.size()));
    }
};

template <>
struct Symmetry<breakthrough::Position> {
    static constexpr int count = 2;
    static bool holds(const breakthrough::Position&) { return true; }
    static int cell(const breakthrough::Position&, int, int cell) { return cell ^ 7; }
    static Move move(const breakthrough::Position&, int, Move m) {
        return static_cast<Move>(3 * ((m / 3) ^ 7) + 2 - m % 3);
    }
};

template <>
struct Symmetry<expendibots::Position> {
    static constexpr int count = expendibots::symmetries;
    static bool holds(const expendibots::Position&) { return true; }
    /// Black's planes are upside down.
    static int cell(const expendibots::Position& p, int symmetry, int cell) {
        const int flip = p.side() == 0 ? 0 : 56;
        return expendibots::transformed(cell ^ flip, symmetry) ^ flip;
    }
    static Move move(const expendibots::Position&, int symmetry, Move m) {
        return expendibots::transformed_action(m, symmetry);
    }
};

}  // namespace sparring::records
