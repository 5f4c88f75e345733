#include "shogi/bitboard.hpp"

#include <cstdlib>
#include <initializer_list>

namespace sparring::shogi {

namespace {

/// A step as Black sees it: files to the left, ranks down the board.
struct Step {
    int file;
    int rank;
};

constexpr Step straight_steps[] = {{0, -1}, {0, 1}, {1, 0}, {-1, 0}};
constexpr Step diagonal_steps[] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

bool on_board(int file, int rank) { return file >= 0 && file < 9 && rank >= 0 && rank < 9; }

void add(Bitboard& set, int file, int rank) {
    if (on_board(file, rank)) set |= bit(file * 9 + rank);
}

/// Where a slider on place `from` of a line of nine reaches, the blockers included.
std::uint16_t reach_in_line(int from, unsigned inner_seven) {
    const unsigned blockers = inner_seven << 1;
    unsigned reach = 0;
    for (const int step : {-1, 1}) {
        for (int i = from + step; i >= 0 && i < 9; i += step) {
            reach |= 1u << i;
            if (blockers >> i & 1) break;
        }
    }
    return static_cast<std::uint16_t>(reach);
}

void fill_steps(Tables& t, Square s) {
    const auto give = [&](PieceType type, std::initializer_list<Step> steps) {
        for (const Step step : steps) {
            add(t.steps[black][type][s], file_of(s) + step.file, rank_of(s) + step.rank);
            add(t.steps[white][type][s], file_of(s) - step.file, rank_of(s) - step.rank);
        }
    };
    give(pawn, {{0, -1}});
    give(knight, {{1, -2}, {-1, -2}});
    give(silver, {{0, -1}, {1, -1}, {-1, -1}, {1, 1}, {-1, 1}});
    for (const PieceType type : {gold, tokin, promoted_lance, promoted_knight, promoted_silver}) {
        give(type, {{0, -1}, {1, -1}, {-1, -1}, {1, 0}, {-1, 0}, {0, 1}});
    }
    for (const PieceType type : {king, horse}) give(type, {{0, -1}, {0, 1}, {1, 0}, {-1, 0}});
    for (const PieceType type : {king, dragon}) give(type, {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}});
}

/// Walks from `s` to the edge; returns the squares passed and notes what lies between.
Bitboard walk(Tables& t, Square s, Step step) {
    Bitboard passed;
    int file = file_of(s) + step.file, rank = rank_of(s) + step.rank;
    for (; on_board(file, rank); file += step.file, rank += step.rank) {
        const Square to = file * 9 + rank;
        t.between[s][to] = passed;
        passed |= bit(to);
    }
    return passed;
}

}  // namespace

Tables::Tables() {
    for (int place = 0; place < 9; ++place) {
        for (unsigned inner = 0; inner < 128; ++inner) line[place][inner] = reach_in_line(place, inner);
    }
    for (Square s = 0; s < num_squares; ++s) {
        fill_steps(*this, s);
        for (const Step step : straight_steps) straight[s] |= walk(*this, s, step);
        for (const Step step : diagonal_steps) {
            const Bitboard ray = walk(*this, s, step);
            diagonal[s] |= ray;
            (step.file == step.rank ? rising : falling)[s].squares |= ray;
        }
        for (Diagonal* d : {&rising[s], &falling[s]}) d->folded = fold(d->squares);
        for (int rank = 0; rank < 9; ++rank) {
            if (rank != rank_of(s)) add(ahead[rank < rank_of(s) ? black : white][s], file_of(s), rank);
        }
        for (Square from = 0; from < num_squares; ++from) {
            // A knight's jump is two ranks and one file; one more of each reaches a neighbour.
            const bool close = std::abs(file_of(from) - file_of(s)) <= 2 &&
                               std::abs(rank_of(from) - rank_of(s)) <= 3 && from != s;
            if (close) near[s] |= bit(from);
        }
    }
}

const Tables tables;

}  // namespace sparring::shogi
