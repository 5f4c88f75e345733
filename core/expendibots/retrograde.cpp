#include "expendibots/retrograde.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "expendibots/position.hpp"
#include "game/errors.hpp"
#include "game/move.hpp"

namespace sparring::expendibots {

namespace {

constexpr int max_distance = 126;
constexpr int lost_at_once = -1;

/// Calls `use` with the board after each MOVE.
template <class Use>
void for_each_move(const Board& board, Use use) {
    const Bitboard enemy = board.colors[1 - board.turn];
    for (Bitboard stacks = board.colors[board.turn]; stacks;) {
        const Square from = pop_lsb(stacks);
        const int height = board.height(from);
        for (Bitboard targets = reach(from, height) & ~enemy; targets;) {
            const Square to = pop_lsb(targets);
            for (int tokens = 1; tokens <= height; ++tokens) {
                Board next = board;
                next.apply(move(from, to, tokens));
                use(next);
            }
        }
    }
}

/// Calls `use` with each board from which a MOVE leads to this one. Tokens on `to` can come from `from` if
/// the stack, including them, was high enough for the distance.
template <class Use>
void for_each_unmove(const Board& board, Use use) {
    const auto mover = static_cast<Color>(1 - board.turn);
    const Bitboard enemy = board.colors[board.turn];
    for (Bitboard stacks = board.colors[mover]; stacks;) {
        const Square to = pop_lsb(stacks);
        const int height = board.height(to);
        for (Bitboard sources = reach(to, 7) & ~enemy; sources;) {
            const Square from = pop_lsb(sources);
            const int left = board.height(from);
            const int distance = std::abs(x_of(from) - x_of(to)) + std::abs(y_of(from) - y_of(to));
            for (int tokens = std::max(1, distance - left); tokens <= height; ++tokens) {
                Board previous = board;
                previous.set_height(mover, to, height - tokens);
                previous.set_height(mover, from, left + tokens);
                previous.set_turn(mover);
                use(previous);
            }
        }
    }
}

/// The value of the best BOOM. There is always one.
int best_boom(const Board& board, const EndgameTables& smaller) {
    int best = lost_at_once;
    Bitboard left = board.colors[board.turn];
    while (left) {
        const Square at = std::countr_zero(left);
        left &= ~component(bit(at), board.occupied());
        Board next = board;
        next.apply(boom(at));
        const bool any_own = next.colors[board.turn], any_enemy = next.colors[1 - board.turn];
        const int value = !any_own     ? (any_enemy ? lost_at_once : 0)
                          : !any_enemy ? 1
                                       : value_before(smaller.probe(next).value());
        if (better(value, best)) best = value;
    }
    return best;
}

void check_smaller(Material material, const EndgameTables& smaller) {
    if (!material.has_table())
        throw ParseError("endgame tables are of at most 4 tokens a side and 6 together");
    // A BOOM removes at least one own token, so that the table of the result is smaller.
    for (int a = 1; a <= material.strong; ++a) {
        for (int b = 1; b <= material.weak; ++b) {
            if (a == material.strong && b == material.weak) continue;
            if (smaller.has({std::max(a, b), std::min(a, b)})) continue;
            throw ParseError("the endgame table of " + std::to_string(std::max(a, b)) + " v " +
                             std::to_string(std::min(a, b)) + " tokens is needed first");
        }
    }
}

class Solver {
 public:
    Solver(Material material, const EndgameTables& smaller)
        : index_(material), smaller_(smaller), values_(index_.count(), 0), booms_(index_.count()) {}

    std::vector<std::int8_t> solve() {
        evaluate_booms();
        for (int distance = 1; distance <= max_distance; ++distance) {
            for (std::uint32_t place = 0; place < index_.count(); ++place) {
                if (booms_[place] == distance && values_[place] == 0) decide(place, distance);
            }
            // A decided position only adds to larger distances.
            for (const std::uint32_t place : decided_[distance]) update_predecessors(place);
        }
        return std::move(values_);
    }

 private:
    void evaluate_booms() {
        for (std::uint32_t place = 0; place < index_.count(); ++place) {
            const auto board = index_.position(place);
            if (!board) {
                values_[place] = no_position;
                continue;
            }
            booms_[place] = static_cast<std::int8_t>(best_boom(*board, smaller_));
            if (booms_[place] >= 0) continue;
            bool enclosed = true;
            for_each_move(*board, [&](const Board&) { enclosed = false; });
            if (enclosed) decide(place, booms_[place]);
        }
    }

    void decide(std::uint32_t place, int value) {
        values_[place] = static_cast<std::int8_t>(value);
        decided_[std::abs(value)].push_back(place);
    }

    /// Updates the predecessors of a decided position.
    void update_predecessors(std::uint32_t place) {
        const int value = values_[place];
        for_each_unmove(*index_.position(place), [&](const Board& previous) {
            const std::uint32_t predecessor = index_.place(previous);
            if (values_[predecessor] != 0) return;
            if (value < 0) {
                decide(predecessor, value_before(value));
            } else if (const int plies = lost(previous, predecessor)) {
                decide(predecessor, plies);
            }
        });
    }

    /// The value of a position all of whose actions lose, or 0.
    int lost(const Board& board, std::uint32_t place) const {
        int best = booms_[place];
        if (best >= 0) return 0;
        bool all_lose = true;
        for_each_move(board, [&](const Board& next) {
            if (!all_lose) return;
            const int value = values_[index_.place(next)];
            all_lose = value > 0;
            if (all_lose && better(value_before(value), best)) best = value_before(value);
        });
        return all_lose ? best : 0;
    }

    EndgameIndex index_;
    const EndgameTables& smaller_;
    std::vector<std::int8_t> values_;
    std::vector<std::int8_t> booms_;                                    // of the best BOOM
    std::array<std::vector<std::uint32_t>, max_distance + 2> decided_;  // by distance
};

}  // namespace

std::vector<std::int8_t> solve(Material material, const EndgameTables& smaller) {
    check_smaller(material, smaller);
    return Solver(material, smaller).solve();
}

std::uint64_t count_errors(Material material, const EndgameTables& tables) {
    check_smaller(material, tables);
    const EndgameIndex places(material);
    std::uint64_t errors = 0;
    for (std::uint32_t place = 0; place < places.count(); ++place) {
        const auto board = places.position(place);
        if (!board) continue;
        int best = best_boom(*board, tables);
        for_each_move(*board, [&](const Board& next) {
            const int value = value_before(tables.probe(next).value());
            if (better(value, best)) best = value;
        });
        errors += best != tables.probe(*board);
    }
    return errors;
}

}  // namespace sparring::expendibots
