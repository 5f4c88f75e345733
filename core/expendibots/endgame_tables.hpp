// Endgame tables: what perfect play makes of every position with few tokens.
//
// A value is what the side to move gets: +d wins in d actions, -d loses in d, 0 draws, also by play
// without end. Both sides play for the result and then for time: the winner to be quick, the loser to
// last. The number of actions taken before is ignored, and with it the limit of 500.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "expendibots/arrangement_index.hpp"
#include "expendibots/board.hpp"

namespace sparring::expendibots {

/// The value of a table's place that no position has.
constexpr std::int8_t no_position = -128;

/// How many tokens the stronger side has and the weaker one.
struct Material {
    int strong;
    int weak;

    static Material of(const Board& board);
    /// Whether a table of it can be had: up to four tokens of a side and six together.
    bool has_table() const {
        return weak >= 1 && weak <= strong && strong <= max_arranged && strong + weak <= 6;
    }
};

/// The places of a material's positions, symmetry removed: the stronger side's arrangement (the mover's,
/// where both have as many) is an orbit's representative, the weaker side's is turned with it. The
/// positions with the weaker side to move come after all the others.
class EndgameIndex {
 public:
    explicit EndgameIndex(Material material);

    std::uint32_t count() const { return count_; }
    std::uint32_t place(const Board& board) const;
    /// The position of a place, the stronger side's tokens white. None where stacks would share a square
    /// or where a turned image has the place before.
    std::optional<Board> position(std::uint32_t place) const;

 private:
    std::uint32_t place(const TokenSquares& strong, const TokenSquares& weak, bool weak_moves) const;

    Material material_;
    const Orbits* orbits_;
    std::uint32_t weak_arrangements_;
    std::uint32_t half_;  // the places with the stronger side to move
    std::uint32_t count_;
};

/// Values by place.
struct EndgameTable {
    EndgameIndex places;
    std::vector<std::int8_t> values;
};

/// The tables that were added, for probing. Copies share them.
class EndgameTables {
 public:
    /// Throws ParseError when there is no table of the material, or the number of values is wrong.
    void add(Material material, std::vector<std::int8_t> values);
    bool has(Material material) const { return material.has_table() && table(material) != nullptr; }
    /// The value for the side to move, where a table has the position. Of a finished game there is none.
    std::optional<int> probe(const Board& board) const;

 private:
    const std::shared_ptr<const EndgameTable>& table(Material m) const { return tables_[m.strong][m.weak]; }

    std::array<std::array<std::shared_ptr<const EndgameTable>, 4>, max_arranged + 1> tables_;  // by tokens
};

/// Whether the first value is the better one for who gets it.
constexpr bool better(int value, int than) {
    const auto order = [](int v) { return v > 0 ? 1000 - v : v < 0 ? -1000 - v : 0; };
    return order(value) > order(than);
}

/// What a value is one action earlier, for the side that takes it.
constexpr int value_before(int value) { return value > 0 ? -value - 1 : value < 0 ? -value + 1 : 0; }

}  // namespace sparring::expendibots
