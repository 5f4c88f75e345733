// The set of boards that are possible for a player, as far as it can know.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "rbc/gathering.hpp"
#include "rbc/hidden.hpp"

namespace sparring::rbc {

/// One square of a sense's result: a FEN letter, or 0 where nothing stands.
struct Seen {
    Square square;
    char symbol;
};

/// How much may be done: at most so many boards and threads. Where there are more boards, the salt decides
/// which ones stay.
struct Effort {
    std::size_t limit = std::numeric_limits<std::size_t>::max();
    unsigned threads = 1;
    std::uint64_t salt = 0;
};

/// Distinct boards, all with the same side to move and the same pieces of `player`. Boards that differ in
/// their move counters alone are one: no observation tells them apart.
class Boards {
 public:
    Boards(const KnownSide& known, Gathered gathered) : known_(known), gathered_(std::move(gathered)) {}
    /// Throws std::invalid_argument where the boards are not the player's alone to tell apart.
    Boards(const std::vector<Board>& boards, chess::Color player);

    const KnownSide& known() const { return known_; }
    std::span<const HiddenSide> hidden() const { return gathered_.sides; }
    std::size_t size() const { return gathered_.sides.size(); }
    Board board(std::size_t i) const { return whole_board(known_, gathered_.sides[i]); }
    bool contains(const Board& board) const;
    /// Of how many boards that were found only one is here, as a power of 2: 0 where none was left out.
    int level() const { return gathered_.level; }

    /// Every board after the opponent's move, when the player was told that its piece on `captured` was taken
    /// or that none was, and then saw what is in `seen`. A king that was taken ended the game: such boards
    /// have no successors.
    Boards after_opponent(std::optional<Square> captured, const std::vector<Seen>& seen,
                          const Effort& effort) const;

    /// The boards that have these pieces on these squares.
    Boards after_sense(const std::vector<Seen>& seen) const;

    /// The boards on which the player's request has this result: as they were, and after it.
    Boards before_move(Move request, Move result, std::optional<Square> captured) const;
    Boards after_move(Move request, Move result, std::optional<Square> captured) const;

    /// The boards from which the player's move `result`, which captured on `captured`, and an opponent's move
    /// that captured on `lost` lead to one of the later boards.
    Boards leading_to(const Boards& later, Move result, std::optional<Square> captured,
                      std::optional<Square> lost, unsigned threads) const;

    /// The boards on which the opponent attacks the player's king.
    Boards in_danger() const;

    /// `count` of the boards, or all where there are no more; which ones the salt decides.
    Boards keep(std::size_t count, std::uint64_t salt) const;

    /// The places of up to `count` different boards, in an order that the seed decides.
    std::vector<std::size_t> draw(std::size_t count, std::uint64_t seed) const;

    /// For each square the piece that stands there on every board: a FEN letter, 0 when it is empty
    /// on every board, '?' when boards differ.
    std::array<char, 64> certain() const;

 private:
    bool contains(const HiddenSide& hidden) const;
    template <class Keep>
    Boards filtered(Keep keep, unsigned threads = 1) const;
    auto with_result(Move request, Move result, std::optional<Square> captured) const;
    void demand_turn(chess::Color whose) const;

    KnownSide known_;
    Gathered gathered_;
};

}  // namespace sparring::rbc
