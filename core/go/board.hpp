// A Go board with chains and liberties.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "game/outcome.hpp"
#include "go/points.hpp"

namespace sparring::go {

/// The contents of a point. Stones have the numbers of their players.
enum Color : std::uint8_t { black = 0, white = 1, empty = 2, wall = 3 };

constexpr Color operator~(Color c) { return c == black ? white : black; }

/// The effect of placing a stone.
struct PlaceResult {
    int captured = 0;        // captured stones of the opponent
    int lost = 0;            // own stones lost by suicide, the new one included
    Point taken = no_point;  // one of the captured stones
};

/// A board with incremental chains. The stones of a chain form a circular list; its size and liberties are
/// stored at its head, to which all of its stones point.
class Board {
 public:
    explicit Board(int size);

    int size() const { return size_; }
    int points() const { return size_ * size_; }
    Color at(Point p) const { return static_cast<Color>(color_[p]); }
    int liberties(Point stone) const { return liberties_[head_[stone]]; }
    int chain_size(Point stone) const { return count_[head_[stone]]; }
    /// The head of the chain, the same for all of its stones.
    Point chain(Point stone) const { return head_[stone]; }
    const Neighbours& neighbours(Point p) const {
        return neighbour_tables[static_cast<std::size_t>(size_ - min_board_size)][p];
    }

    /// A Zobrist key of the stones.
    std::uint64_t key() const { return key_; }
    /// Compares the stones; the internal representation of chains does not count.
    bool same_stones(const Board& other) const { return size_ == other.size_ && color_ == other.color_; }

    /// Whether a stone on the empty point would have a liberty, possibly by capturing. With
    /// `multi_stone_suicide`, suicide of two or more stones is playable, too.
    bool playable(Color c, Point p, bool multi_stone_suicide) const {
        bool friends = false;
        for (const Point n : neighbours(p)) {
            const std::uint8_t there = color_[n];
            if (there == empty) return true;
            if (there == wall) continue;
            const bool last_liberty = liberties_[head_[n]] == 1;
            if ((there == c) != last_liberty)
                return true;  // a friendly chain with another liberty, or an enemy chain without
            friends |= there == c;
        }
        return friends && multi_stone_suicide;
    }

    /// Places a stone on an empty point and removes chains without liberties, its own last.
    PlaceResult place(Color c, Point p);

    /// The key after `place`, without placing.
    std::uint64_t key_after(Color c, Point p) const;

    /// Whether a stone of this colour was removed from the point since the board was created. Otherwise
    /// `place` cannot repeat an earlier board, except by suicide.
    bool was_captured(Color c, Point p) const { return captured_at_[c][p / 64] >> (p % 64) & 1; }

    /// Removes the chain of a stone and returns its size.
    int remove_chain(Point stone);

    /// Sets up an empty board. Returns false if a chain has no liberty.
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
    /// The distinct heads of the chains of this colour adjacent to the point.
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

    std::uint64_t key_ = 0x60B0A2D;  // not 0, which marks a free slot in hash tables
    std::array<std::array<std::uint64_t, (max_points + 63) / 64>, 2>
        captured_at_{};  // points from which stones were removed
    std::array<Point, max_points> head_{};
    std::array<Point, max_points> next_{};
    std::array<std::uint16_t, max_points> liberties_{};  // at heads
    std::array<std::uint16_t, max_points> count_{};      // at heads
    std::array<std::uint8_t, max_points + 1> color_;
    std::uint8_t size_;
};

}  // namespace sparring::go
