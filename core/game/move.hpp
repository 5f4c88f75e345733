// Moves as 16-bit codes, and lists of them that do not allocate.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace sparring {

/// A move. The meaning of the code is the game's own.
using Move = std::uint16_t;

/// A list of distinct moves. The capacity suffices for every game: a shogi position has at most 593 legal
/// moves.
class MoveList {
 public:
    static constexpr std::size_t capacity = 640;

    /// Appends a move. Throws std::length_error if the list is full.
    void push(Move move) {
        if (size_ == capacity) throw std::length_error("more moves than a move list holds");
        moves_[size_++] = move;
    }
    void clear() { size_ = 0; }
    /// Sorts in ascending order. The moves are distinct, so a move's index is the number of smaller moves;
    /// for short lists that count, which the compiler vectorises, is faster than std::sort.
    void sort() {
        constexpr std::size_t short_list = 96;
        if (size_ > short_list) {
            if (!std::is_sorted(begin(), end())) std::sort(begin(), end());
            return;
        }
        std::array<Move, short_list> unsorted;
        std::copy(begin(), end(), unsorted.begin());
        for (std::size_t i = 0; i < size_; ++i) {
            const Move move = unsorted[i];
            std::uint16_t place = 0;
            for (std::size_t j = 0; j < size_; ++j) place += static_cast<std::uint16_t>(unsorted[j] < move);
            moves_[place] = move;
        }
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool contains(Move move) const { return std::find(begin(), end(), move) != end(); }
    Move operator[](std::size_t i) const { return moves_[i]; }

    /// Keeps the moves for which `keep` holds, in order.
    template <class Predicate>
    void filter(Predicate keep) {
        size_ = static_cast<std::size_t>(
            std::remove_if(begin(), end(), [&](Move move) { return !keep(move); }) - begin());
    }

    Move* begin() { return moves_.data(); }
    Move* end() { return moves_.data() + size_; }
    const Move* begin() const { return moves_.data(); }
    const Move* end() const { return moves_.data() + size_; }

 private:
    std::array<Move, capacity> moves_;
    std::size_t size_ = 0;
};

}  // namespace sparring
