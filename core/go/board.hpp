// Stones and their chains on a Go board: what a stone captures, where none may be put.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "game/outcome.hpp"
#include "go/points.hpp"

namespace sparring::go {

/// What is on a point. Stones have the numbers of their players.
enum Color : std::uint8_t { black = 0, white = 1, empty = 2, wall = 3 };

constexpr Color operator~(Color c) { return c == black ? white : black; }

/// What became of a stone that was put on the board.
struct PlaceResult {
    int captured = 0;        // stones of the other colour that left the board
    int lost = 0;            // own stones that did: suicide, the new stone included
    Point taken = no_point;  // one of the captured stones
};

/// A board that knows every chain's liberties. Stones of a chain are a circular list; the chain's
/// numbers stand at its head, which every one of its stones names.
class Board {
 public:
    explicit Board(int size);

    int size() const { return size_; }
    int points() const { return size_ * size_; }
    Color at(Point p) const { return static_cast<Color>(color_[p]); }
    int liberties(Point stone) const { return liberties_[head_[stone]]; }
    int chain_size(Point stone) const { return count_[head_[stone]]; }
    /// A stone that stands for the chain: the same for all of its stones.
    Point chain(Point stone) const { return head_[stone]; }
    const Neighbours& neighbours(Point p) const {
        return neighbour_tables[static_cast<std::size_t>(size_ - min_board_size)][p];
    }

    /// A Zobrist key of the stones.
    std::uint64_t key() const { return key_; }
    /// Whether the stones are the same; how chains came about does not count.
    bool same_stones(const Board& other) const { return size_ == other.size_ && color_ == other.color_; }

    /// Whether a stone on the empty point would have a liberty, perhaps by capturing. `multi_stone_suicide`:
    /// or would at least not stand alone, where suicide is allowed.
    bool playable(Color c, Point p, bool multi_stone_suicide) const {
        bool friends = false;
        for (const Point n : neighbours(p)) {
            const std::uint8_t there = color_[n];
            if (there == empty) return true;
            if (there == wall) continue;
            const bool last_liberty = liberties_[head_[n]] == 1;
            if ((there == c) != last_liberty) return true;  // a friend with another, or an enemy without
            friends |= there == c;
        }
        return friends && multi_stone_suicide;
    }

    /// Puts a stone on an empty point; chains without liberties leave the board, its own last.
    PlaceResult place(Color c, Point p);

    /// The key after `place`, without placing.
    std::uint64_t key_after(Color c, Point p) const;

    /// Whether a stone of this colour has left the point since the board was made. Only then can `place`
    /// bring stones back that were on the board before, unless own stones leave by it.
    bool was_captured(Color c, Point p) const { return captured_at_[c][p / 64] >> (p % 64) & 1; }

    /// Takes the chain of a stone off the board and returns its size.
    int remove_chain(Point stone);

    /// Puts stones on an empty board as they are. False when a chain has no liberty.
    bool set_up(const std::array<Color, max_points>& stones);

    /// Calls `visit` with each stone of a chain.
    template <class Visit>
    void for_chain(Point stone, Visit visit) const {
        Point s = stone;
        do {
            const Point after = next_[s];
            visit(s);
            s = after;
        } while (s != stone);
    }

 private:
    /// The heads of the chains of this colour next to the point, once each.
    struct Chains {
        std::array<Point, 4> heads;
        std::size_t count = 0;

        const Point* begin() const { return heads.data(); }
        const Point* end() const { return heads.data() + count; }
    };
    Chains adjacent_chains(Point p, Color c) const;

    std::uint16_t adjacent_empty(Point p) const;
    bool touches_chain(Point p, Point head) const;
    void put(Color c, Point p);
    void join(Point a, Point b);

    std::uint64_t key_ = 0x60B0A2D;  // not 0, which tables of keys keep for a free slot
    std::array<std::array<std::uint64_t, (max_points + 63) / 64>, 2> captured_at_{};  // where stones left
    std::array<Point, max_points> head_{};
    std::array<Point, max_points> next_{};
    std::array<std::uint16_t, max_points> liberties_{};  // at heads
    std::array<std::uint16_t, max_points> count_{};      // at heads
    std::array<std::uint8_t, max_points + 1> color_;
    std::uint8_t size_;
};

}  // namespace sparring::go
