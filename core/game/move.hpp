// A move is a 16-bit code whose meaning only its game knows; a move list never allocates.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace sparring {

using Move = std::uint16_t;

/// Enough for every game: shogi's widest position has 593 legal moves.
class MoveList {
 public:
    static constexpr std::size_t capacity = 640;

    void push(Move move) {
        assert(size_ < capacity);
        moves_[size_++] = move;
    }
    void clear() { size_ = 0; }
    /// Ascending order. The moves are distinct, so a move's place is the number of smaller ones:
    /// for short lists that count, which the compiler vectorises, beats any sort that branches.
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

    /// Keep the moves for which `keep` holds, in their order.
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
