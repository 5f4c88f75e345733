// A move list with order values, sorted lazily.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "game/move.hpp"

namespace sparring::search {

/// Selection sort on demand: after a cutoff the rest stays unsorted.
class OrderedMoves {
 public:
    struct Entry {
        Move move;
        int order;  // higher is tried earlier
    };

    void push(Move move, int order) {
        if (size_ == MoveList::capacity) throw std::length_error("more moves than a move list holds");
        entries_[size_++] = {move, order};
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    /// The move with the i-th highest order value. Must be called with 0, 1, 2, ... in turn.
    const Entry& pick(std::size_t i) {
        std::size_t best = i;
        for (std::size_t j = i + 1; j < size_; ++j) {
            if (entries_[j].order > entries_[best].order) best = j;
        }
        std::swap(entries_[i], entries_[best]);
        return entries_[i];
    }

    Entry* begin() { return entries_.data(); }
    Entry* end() { return entries_.data() + size_; }

 private:
    std::array<Entry, MoveList::capacity> entries_;
    std::size_t size_ = 0;
};

}  // namespace sparring::search
