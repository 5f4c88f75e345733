// Moves with the order in which a search tries them.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

#include "game/move.hpp"

namespace sparring::search {

/// Sorted only as far as moves are asked for: after a cutoff the rest stays as it is.
class OrderedMoves {
 public:
    struct Entry {
        Move move;
        int order;  // the highest comes first
    };

    void push(Move move, int order) {
        assert(size_ < MoveList::capacity);
        entries_[size_++] = {move, order};
    }
    void clear() { size_ = 0; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    /// The move number `i`, once those before it were asked for.
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
