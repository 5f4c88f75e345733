#include "rbc/senses.hpp"

#include <algorithm>
#include <cmath>

#include "game/parallel.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

/// The result of a sense as a number: the 3-bit codes of its nine squares.
using WindowBits = std::uint32_t;

/// The inner centre whose window contains the window of this sense.
Square inner(Square centre) {
    return std::clamp(rank_of(centre), 1, 6) * 8 + std::clamp(file_of(centre), 1, 6);
}

/// The nine bits of a window, lowest rank first.
WindowBits nine(Bitboard squares, Square centre) {
    const Bitboard rows = squares >> (centre - 9);
    return static_cast<WindowBits>((rows & 7) | (rows >> 5 & 070) | (rows >> 10 & 0700));
}

WindowBits view(const HiddenSide& plain, Square centre) {
    return nine(plain.low, centre) | nine(plain.middle, centre) << 9 | nine(plain.high, centre) << 18;
}

/// The bits of the result of an inner sense that a sense at the edge shows, too.
WindowBits shown_bits(Square centre) {
    const WindowBits squares = nine(window(centre), inner(centre));
    return squares | squares << 9 | squares << 18;
}

/// Counts of results: open addressing, at most half full.
class ViewCounts {
 public:
    struct Entry {
        WindowBits view;
        std::uint32_t count;  // 0: free
        std::uint32_t number;
    };

    /// Counts a result and returns its index by first occurrence.
    std::uint32_t add(WindowBits view, std::uint32_t count) {
        if (2 * (size_ + 1) > entries_.size()) grow();
        Entry& entry = find(view);
        if (!entry.count) entry = {view, 0, size_++};
        entry.count += count;
        return entry.number;
    }
    const std::vector<Entry>& entries() const { return entries_; }

 private:
    Entry& find(WindowBits view) {
        const std::size_t mask = entries_.size() - 1;
        std::size_t i = (view * 0x9E3779B97F4A7C15ULL >> 32) & mask;
        while (entries_[i].count && entries_[i].view != view) i = (i + 1) & mask;
        return entries_[i];
    }
    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        for (const Entry& entry : old) {
            if (entry.count) find(entry.view) = entry;
        }
    }

    std::vector<Entry> entries_ = std::vector<Entry>(64);
    std::uint32_t size_ = 0;
};

SenseValue value_of(const ViewCounts& counts, double boards) {
    SenseValue value;
    for (const auto& [view, count, number] : counts.entries()) {
        if (!count) continue;
        const double share = count / boards;
        value.expected_size += count * share;
        value.entropy -= share * std::log2(share);
        value.parts += 1;
        value.largest = std::max(value.largest, count);
    }
    return value;
}

/// The squares on which the boards differ.
Bitboard differing(const BoardSet& boards) {
    Bitboard differ = 0;
    if (boards.hidden().empty()) return differ;
    const HiddenSide reference = boards.hidden()[0].plain();
    for (const HiddenSide& each : boards.hidden()) {
        const HiddenSide side = each.plain();
        differ |=
            (side.low ^ reference.low) | (side.middle ^ reference.middle) | (side.high ^ reference.high);
    }
    return differ;
}

}  // namespace

std::array<SenseValue, 64> sense_values(const BoardSet& boards, unsigned threads) {
    std::array<SenseValue, 64> values{};
    const auto sides = boards.hidden();
    if (sides.empty()) return values;
    const auto count = static_cast<double>(sides.size());
    parallel_for(64, 1, sides.size() < 4096 ? 1 : threads, [&](std::size_t i, std::size_t) {
        const auto centre = static_cast<Square>(i);
        if (inner(centre) != centre) return;
        ViewCounts counts;
        for (const HiddenSide& side : sides) counts.add(view(side.plain(), centre), 1);
        values[i] = value_of(counts, count);
        // A sense at the edge shows a part of this window: its partition is coarser.
        for (Square s = 0; s < 64; ++s) {
            if (s == centre || inner(s) != centre) continue;
            ViewCounts coarser;
            for (const auto& entry : counts.entries()) {
                if (entry.count) coarser.add(entry.view & shown_bits(s), entry.count);
            }
            values[static_cast<std::size_t>(s)] = value_of(coarser, count);
        }
    });
    return values;
}

std::vector<Square> undominated_senses(const BoardSet& boards) {
    const Bitboard differ = differing(boards);
    std::vector<Square> result;
    for (Square s = 0; s < 64; ++s) {
        const Bitboard shows = window(s) & differ;
        const auto dominates = [&](Square other) {
            const Bitboard theirs = window(other) & differ;
            const bool more = (shows & ~theirs) == 0 && other != s;
            // Of two equivalent senses the one with the larger window is kept, then the first.
            const auto rank = [](Square each) { return std::pair(-std::popcount(window(each)), each); };
            return more && (theirs != shows || rank(other) < rank(s));
        };
        bool useful = shows != 0;
        for (Square other = 0; useful && other < 64; ++other) useful = !dominates(other);
        if (useful) result.push_back(s);
    }
    return result;
}

std::vector<std::uint32_t> partition(const BoardSet& boards, Square centre) {
    ViewCounts counts;
    const Square middle = inner(centre);
    const WindowBits shown = shown_bits(centre);
    std::vector<std::uint32_t> result;
    result.reserve(boards.size());
    for (const HiddenSide& side : boards.hidden()) {
        result.push_back(counts.add(view(side.plain(), middle) & shown, 1));
    }
    return result;
}

}  // namespace sparring::rbc
