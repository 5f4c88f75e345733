// The set of boards that are possible for a player, as far as it can know.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "rbc/position.hpp"

namespace sparring::rbc {

/// One square of a sense's result.
struct Seen {
    Square square;
    char symbol;
};

/// Distinct boards, all with the same side to move, told apart by their 64-bit keys. Boards that
/// differ in their move counters alone are one: no observation tells them apart.
class Boards {
 public:
    Boards() = default;
    explicit Boards(const std::vector<Board>& boards);

    std::size_t size() const { return boards_.size(); }
    const std::vector<Board>& boards() const { return boards_; }
    bool contains(const Board& board) const;

    /// Every board after any move of the side to move, or a pass.
    Boards successors() const;

    /// The same, when the other player was told that its piece on `captured` was taken, or none was.
    Boards after_opponent(std::optional<Square> captured) const;

    /// The boards that have these pieces (FEN letters, 0 for none) on these squares.
    Boards after_sense(const std::vector<Seen>& seen) const;

    /// The boards on which the request has this result, after it.
    Boards after_move(Move request, Move result, std::optional<Square> captured) const;

    /// For each sense, how many boards would remain on average were each board equally likely.
    std::array<double, 64> expected_sizes() const;

    /// For each square the piece that stands there on every board: a FEN letter, 0 when it is empty
    /// on every board, '?' when boards differ.
    std::array<char, 64> certain() const;

 private:
    /// Adds a board unless it is there. There must be room.
    void insert(const Board& board);
    /// Makes room for so many more.
    void reserve(std::size_t more);
    template <class Keep>
    Boards expand(Keep keep) const;

    std::vector<Board> boards_;
    std::vector<std::uint64_t> keys_;  // open addressing, at most half full; 0 is free
};

}  // namespace sparring::rbc
