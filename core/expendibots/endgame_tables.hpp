// Endgame tables: the values of all positions with few tokens under perfect play.
//
// The value is for the side to move: +d is a win in d actions, -d a loss in d, 0 a draw, also by infinite
// play. The winner minimises and the loser maximises d. The limit of 500 actions is ignored.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "expendibots/arrangement_index.hpp"
#include "expendibots/board.hpp"

namespace sparring::expendibots {

/// The value of an index without a position.
constexpr std::int8_t no_position = -128;

/// The numbers of tokens of the stronger and the weaker side.
struct Material {
    int strong;
    int weak;

    static Material of(const Board& board);
    /// Whether a table is supported: at most four tokens of a side and six in all.
    bool has_table() const {
        return weak >= 1 && weak <= strong && strong <= max_arranged && strong + weak <= 6;
    }
};

/// The indices of the positions of a material up to symmetry. The arrangement of the stronger side (of the
/// side to move, if equal) is the representative of its orbit; the arrangement of the weaker side is
/// transformed with it. Positions with the weaker side to move come last.
class EndgameIndex {
 public:
    explicit EndgameIndex(Material material);

    std::uint32_t count() const { return count_; }
    std::uint32_t place(const Board& board) const;
    /// The position of an index, with the stronger side as White. Nothing if stacks overlap or a symmetric
    /// image has a smaller index.
    std::optional<Board> position(std::uint32_t place) const;

 private:
    std::uint32_t place(const TokenSquares& strong, const TokenSquares& weak, bool weak_moves) const;

    Material material_;
    const Orbits* orbits_;
    std::uint32_t weak_arrangements_;
    std::uint32_t half_;  // indices with the stronger side to move
    std::uint32_t count_;
};

/// Values by place.
struct EndgameTable {
    EndgameIndex places;
    std::vector<std::int8_t> values;
};

/// A set of tables. Copies share the data.
class EndgameTables {
 public:
    /// Throws ParseError if the material is not supported or the number of values is wrong.
    void add(Material material, std::vector<std::int8_t> values);
    bool has(Material material) const { return material.has_table() && table(material) != nullptr; }
    /// The value for the side to move, or nothing if no table has the position or the game is over.
    std::optional<int> probe(const Board& board) const;

 private:
    const std::shared_ptr<const EndgameTable>& table(Material m) const { return tables_[m.strong][m.weak]; }

    std::array<std::array<std::shared_ptr<const EndgameTable>, 4>, max_arranged + 1> tables_;  // by tokens
};

/// Whether the first value is better for its player.
constexpr bool better(int value, int than) {
    const auto order = [](int v) { return v > 0 ? 1000 - v : v < 0 ? -1000 - v : 0; };
    return order(value) > order(than);
}

/// The value one action earlier, for the player of that action.
constexpr int value_before(int value) { return value > 0 ? -value - 1 : value < 0 ? -value + 1 : 0; }

}  // namespace sparring::expendibots
