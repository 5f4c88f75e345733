// The set of possible boards of a player.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "rbc/hidden.hpp"

namespace sparring::rbc {

/// The number of sorted runs of a set, by the top bits of the hash.
constexpr std::size_t run_count = 64;
constexpr std::size_t run_of(std::uint64_t hash) { return hash >> 58; }
using Runs = std::array<std::size_t, run_count + 1>;  // the begin of each run, and the end of the last

/// The collected sides: distinct, in sorted runs.
struct BoardSetData {
    std::vector<HiddenSide> sides;
    Runs runs{};
    int level = 0;  // one in 2^level was kept; 0 if all
};

/// One square of the result of a sense: a FEN letter, or 0 if empty.
struct SensedSquare {
    Square square;
    char symbol;
};

/// The result of a sense in the order of reconchess: highest rank first, files from a to h.
std::vector<SensedSquare> sense_result(const Board& board, Square centre);

/// Limits of an expansion: boards kept and threads used. If there are more boards, the salt decides which are
/// kept.
struct ExpansionLimits {
    std::size_t limit = std::numeric_limits<std::size_t>::max();
    unsigned threads = 1;
    std::uint64_t salt = 0;
};

/// Distinct boards with the same side to move and the same pieces of `player`. Boards that differ only in
/// their move counters count as one: no observation distinguishes them.
class BoardSet {
 public:
    BoardSet(const KnownSide& known, BoardSetData data) : known_(known), data_(std::move(data)) {}
    /// Throws std::invalid_argument if the side to move or the pieces of the player differ.
    BoardSet(const std::vector<Board>& boards, chess::Color player);

    const KnownSide& known() const { return known_; }
    std::span<const HiddenSide> hidden() const { return data_.sides; }
    std::size_t size() const { return data_.sides.size(); }
    Board board(std::size_t i) const { return whole_board(known_, data_.sides[i]); }
    bool contains(const Board& board) const;
    bool contains(const HiddenSide& hidden) const { return index(hidden).has_value(); }
    /// The index of a board.
    std::optional<std::size_t> index(const HiddenSide& hidden) const;
    /// The boards that are in `other`, too, which may be the set of the other player: these sets share at
    /// most one board, because each player knows its own pieces.
    BoardSet common(const BoardSet& other) const;
    /// The boards of both sets. Throws std::invalid_argument if the known sides differ.
    BoardSet united(const BoardSet& other) const;
    /// One in 2^level boards was kept; 0 if the set is complete.
    int level() const { return data_.level; }

    /// All boards after a move of the opponent that captured on `captured`, or did not capture, and that
    /// agree with the sense result `seen`. Boards without a king have no successors.
    BoardSet after_opponent(std::optional<Square> captured, const std::vector<SensedSquare>& seen,
                            const ExpansionLimits& limits) const;

    /// The boards that agree with the result of a sense.
    BoardSet after_sense(const std::vector<SensedSquare>& seen) const;

    /// The boards on which the player's request has this result: before the move, and after it.
    BoardSet before_move(Move request, Move result, std::optional<Square> captured) const;
    BoardSet after_move(Move request, Move result, std::optional<Square> captured) const;

    /// The boards from which the player's move `result`, capturing on `captured`, and a move of the opponent,
    /// capturing on `lost`, lead to a board of `later`.
    BoardSet leading_to(const BoardSet& later, Move result, std::optional<Square> captured,
                        std::optional<Square> lost, unsigned threads) const;

    /// The boards on which the opponent attacks the player's king.
    BoardSet with_king_attacked() const;

    /// A sample of at most `count` boards; the salt decides which.
    BoardSet keep(std::size_t count, std::uint64_t salt) const;

    /// The indices of up to `count` distinct boards in random order, decided by the seed.
    std::vector<std::size_t> sample_indices(std::size_t count, std::uint64_t seed) const;

    /// For each square the piece that stands there on every board: a FEN letter, 0 if empty on every board,
    /// '?' if boards differ.
    std::array<char, 64> known_pieces() const;

    /// The share of the boards with each piece (`PNBRQKpnbrqk`) on each square; of a sample of `count` if
    /// there are more.
    std::array<std::array<double, 64>, 12> piece_shares(std::size_t count) const;

 private:
    template <class Keep>
    BoardSet filtered(Keep keep, unsigned threads = 1) const;
    auto with_result(Move request, Move result, std::optional<Square> captured) const;
    void require_turn(chess::Color whose) const;

    KnownSide known_;
    BoardSetData data_;
};

}  // namespace sparring::rbc
