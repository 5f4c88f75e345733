#include "go/board.hpp"

#include <algorithm>
#include <utility>

#include "game/random.hpp"

namespace sparring::go {

namespace {

using StoneKeys = std::array<std::array<std::uint64_t, max_points>, 2>;

constexpr StoneKeys make_stone_keys() {
    StoneKeys keys{};
    Random random(0x60);
    for (auto& color : keys) {
        for (auto& key : color) key = random.next();
    }
    return keys;
}

constexpr StoneKeys stone_keys = make_stone_keys();

}  // namespace

Board::Board(int size) : size_(static_cast<std::uint8_t>(size)) {
    color_.fill(wall);
    for (int p = 0; p < points(); ++p) color_[static_cast<std::size_t>(p)] = empty;
}

/// Adds a chain of one stone; liberties of its neighbours are not updated.
void Board::put(Color c, Point p) {
    color_[p] = c;
    key_ ^= stone_keys[c][p];
    head_[p] = next_[p] = p;
    count_[p] = 1;
}

PlaceResult Board::place(Color c, Point p) {
    put(c, p);
    liberties_[p] = adjacent_empty(p);
    for (const Point head : adjacent_chains(p, c)) {
        --liberties_[head];
        join(head_[p], head);
    }
    PlaceResult placed;
    for (const Point head : adjacent_chains(p, ~c)) {
        if (--liberties_[head] == 0) {
            placed.taken = head;
            placed.captured += remove_chain(head);
        }
    }
    if (liberties_[head_[p]] == 0) placed.lost = remove_chain(p);
    return placed;
}

std::uint64_t Board::key_after(Color c, Point p) const {
    std::uint64_t key = key_;
    const auto lift = [&](Color color, Point head) {
        for_chain(head, [&](Point s) { key ^= stone_keys[color][s]; });
    };
    if (!playable(c, p, false)) {
        for (const Point head : adjacent_chains(p, c)) lift(c, head);
        return key;
    }
    for (const Point head : adjacent_chains(p, ~c)) {
        if (liberties_[head] == 1) lift(~c, head);
    }
    return key ^ stone_keys[c][p];
}

int Board::remove_chain(Point stone) {
    const Color c = at(stone);
    for_chain(stone, [&](Point s) {
        color_[s] = empty;
        key_ ^= stone_keys[c][s];
        captured_at_[c][s / 64] |= std::uint64_t{1} << (s % 64);
        for (const Point head : adjacent_chains(s, ~c)) ++liberties_[head];
    });
    return chain_size(stone);
}

bool Board::set_up(const std::array<Color, max_points>& stones) {
    for (Point p = 0; p < points(); ++p) {
        if (stones[p] != empty) put(stones[p], p);
    }
    for (Point p = 0; p < points(); ++p) {
        if (stones[p] != empty) liberties_[p] = adjacent_empty(p);
    }
    for (Point p = 0; p < points(); ++p) {
        if (stones[p] == empty) continue;
        for (const Point head : adjacent_chains(p, stones[p])) {
            if (head != head_[p]) join(head_[p], head);
        }
    }
    for (Point p = 0; p < points(); ++p) {
        if (stones[p] != empty && liberties(p) == 0) return false;
    }
    return true;
}

std::uint16_t Board::adjacent_empty(Point p) const {
    std::uint16_t count = 0;
    for (const Point n : neighbours(p)) count = static_cast<std::uint16_t>(count + (color_[n] == empty));
    return count;
}

Board::Chains Board::adjacent_chains(Point p, Color c) const {
    Chains chains;
    for (const Point n : neighbours(p)) {
        if (color_[n] != c) continue;
        const Point head = head_[n];
        if (std::find(chains.begin(), chains.end(), head) == chains.end())
            chains.heads[chains.count++] = head;
    }
    return chains;
}

bool Board::touches_chain(Point p, Point head) const {
    for (const Point n : neighbours(p)) {
        if (color_[n] < empty && head_[n] == head) return true;
    }
    return false;
}

/// Merges two chains under the head of the longer one. A liberty is added if no stone of that head touches it
/// yet.
void Board::join(Point a, Point b) {
    if (count_[a] < count_[b]) std::swap(a, b);
    for_chain(b, [&](Point s) {
        for (const Point n : neighbours(s)) {
            if (color_[n] == empty && !touches_chain(n, a)) ++liberties_[a];
        }
        head_[s] = a;
    });
    std::swap(next_[a], next_[b]);
    count_[a] = static_cast<std::uint16_t>(count_[a] + count_[b]);
}

}  // namespace sparring::go
