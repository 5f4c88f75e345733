// The set of boards that are possible for a player, as far as it can know.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "rbc/board_set_builder.hpp"
#include "rbc/hidden.hpp"

namespace sparring::rbc {

/// One square of a sense's result: a FEN letter, or 0 where nothing stands.
struct SensedSquare {
    Square square;
    char symbol;
};

/// How much may be done: at most so many boards and threads. Where there are more boards, the salt decides
/// which ones stay.
struct ExpansionLimits {
    std::size_t limit = std::numeric_limits<std::size_t>::max();
    unsigned threads = 1;
    std::uint64_t salt = 0;
};

/// Distinct boards, all with the same side to move and the same pieces of `player`. Boards that differ in
/// their move counters alone are one: no observation tells them apart.
class BoardSet {
 public:
    BoardSet(const KnownSide& known, BoardSetData data) : known_(known), data_(std::move(data)) {}
    /// Throws std::invalid_argument where the boards are not the player's alone to tell apart.
    BoardSet(const std::vector<Board>& boards, chess::Color player);

    const KnownSide& known() const { return known_; }
    std::span<const HiddenSide> hidden() const { return data_.sides; }
    std::size_t size() const { return data_.sides.size(); }
    Board board(std::size_t i) const { return whole_board(known_, data_.sides[i]); }
    bool contains(const Board& board) const;
    /// Of how many boards that were found only one is here, as a power of 2: 0 where none was left out.
    int level() const { return data_.level; }

    /// Every board after the opponent's move, when the player was told that its piece on `captured` was taken
    /// or that none was, and then saw what is in `seen`. A king that was taken ended the game: such boards
    /// have no successors.
    BoardSet after_opponent(std::optional<Square> captured, const std::vector<SensedSquare>& seen,
                            const ExpansionLimits& limits) const;

    /// The boards that have these pieces on these squares.
    BoardSet after_sense(const std::vector<SensedSquare>& seen) const;

    /// The boards on which the player's request has this result: as they were, and after it.
    BoardSet before_move(Move request, Move result, std::optional<Square> captured) const;
    BoardSet after_move(Move request, Move result, std::optional<Square> captured) const;

    /// The boards from which the player's move `result`, which captured on `captured`, and an opponent's move
    /// that captured on `lost` lead to one of the later boards.
    BoardSet leading_to(const BoardSet& later, Move result, std::optional<Square> captured,
                        std::optional<Square> lost, unsigned threads) const;

    /// The boards on which the opponent attacks the player's king.
    BoardSet with_king_attacked() const;

    /// `count` of the boards, or all where there are no more; which ones the salt decides.
    BoardSet keep(std::size_t count, std::uint64_t salt) const;

    /// The places of up to `count` different boards, in an order that the seed decides.
    std::vector<std::size_t> sample_indices(std::size_t count, std::uint64_t seed) const;

    /// For each square the piece that stands there on every board: a FEN letter, 0 when it is empty
    /// on every board, '?' when boards differ.
    std::array<char, 64> known_pieces() const;

 private:
    bool contains(const HiddenSide& hidden) const;
    template <class Keep>
    BoardSet filtered(Keep keep, unsigned threads = 1) const;
    auto with_result(Move request, Move result, std::optional<Square> captured) const;
    void require_turn(chess::Color whose) const;

    KnownSide known_;
    BoardSetData data_;
};

}  // namespace sparring::rbc
