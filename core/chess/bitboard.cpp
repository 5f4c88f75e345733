#include "chess/bitboard.hpp"

#include <cstdlib>

#include "chess/magics.hpp"

namespace sparring::chess {

namespace {

constexpr int rook_steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
constexpr int bishop_steps[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};

bool on_board(int file, int rank) { return file >= 0 && file < 8 && rank >= 0 && rank < 8; }

/// The squares from `s` along one direction up to and with the first blocker.
Bitboard ray(Square s, const int (&step)[2], Bitboard occupied) {
    Bitboard result = 0;
    int file = file_of(s) + step[0], rank = rank_of(s) + step[1];
    while (on_board(file, rank)) {
        const Bitboard square = bit(rank * 8 + file);
        result |= square;
        if (occupied & square) break;
        file += step[0];
        rank += step[1];
    }
    return result;
}

Bitboard slide(Square s, const int (&directions)[4][2], Bitboard occupied) {
    Bitboard result = 0;
    for (const auto& step : directions) result |= ray(s, step, occupied);
    return result;
}

/// The squares whose occupation can change the attacks: all but the last of each ray.
Bitboard relevant(Square s, const int (&directions)[4][2]) {
    Bitboard result = 0;
    for (const auto& step : directions) {
        Bitboard squares = ray(s, step, 0);
        if (step[0] != 0) squares &= ~file_mask(step[0] > 0 ? 7 : 0);
        if (step[1] != 0) squares &= ~rank_mask(step[1] > 0 ? 7 : 0);
        result |= squares;
    }
    return result;
}

constexpr std::size_t rook_table_size = 102400;
constexpr std::size_t bishop_table_size = 5248;
std::array<Bitboard, rook_table_size + bishop_table_size> slider_attacks;

/// Fills the slots of one square for every set of blockers; returns how many it used.
std::size_t fill(SliderTables::Entry& entry, Square s, const int (&directions)[4][2], Bitboard magic,
                 Bitboard* slots) {
    entry.mask = relevant(s, directions);
    entry.magic = magic;
    entry.attacks = slots;
    const int bits = std::popcount(entry.mask);
    entry.shift = 64 - bits;
    Bitboard blockers = 0;
    do {
        Bitboard& slot = slots[(blockers * magic) >> entry.shift];
        const Bitboard attacks = slide(s, directions, blockers);
        if (slot != 0 && slot != attacks) std::abort();  // the factor is wrong: nothing can work
        slot = attacks;
        blockers = (blockers - entry.mask) & entry.mask;
    } while (blockers);
    return std::size_t{1} << bits;
}

}  // namespace

StepTables::StepTables() {
    constexpr int knight_steps[8][2] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                        {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    for (Square s = 0; s < 64; ++s) {
        const int file = file_of(s), rank = rank_of(s);
        const auto add = [&](Bitboard& set, int df, int dr) {
            if (on_board(file + df, rank + dr)) set |= bit((rank + dr) * 8 + file + df);
        };
        for (const auto& step : knight_steps) add(knight[s], step[0], step[1]);
        for (const auto& step : rook_steps) add(king[s], step[0], step[1]);
        for (const auto& step : bishop_steps) add(king[s], step[0], step[1]);
        for (const int side : {-1, 1}) {
            add(pawn[white][s], side, 1);
            add(pawn[black][s], side, -1);
        }
        for (const auto& directions : {rook_steps, bishop_steps}) {
            for (int d = 0; d < 4; ++d) {
                Bitboard passed = 0;
                for (Bitboard line = ray(s, directions[d], 0); line;) {
                    // Walk outwards: upwards rays from the low end, downwards rays from the high end.
                    const bool up = directions[d][1] > 0 || (directions[d][1] == 0 && directions[d][0] > 0);
                    const Square t = up ? lsb(line) : 63 - std::countl_zero(line);
                    line &= ~bit(t);
                    between[s][t] = passed;
                    passed |= bit(t);
                }
            }
        }
    }
}

SliderTables::SliderTables() {
    Bitboard* slots = slider_attacks.data();
    for (Square s = 0; s < 64; ++s) {
        slots += fill(rook[s], s, rook_steps, rook_magics[s], slots);
        slots += fill(bishop[s], s, bishop_steps, bishop_magics[s], slots);
    }
}

const StepTables steps;
const SliderTables sliders;

}  // namespace sparring::chess
