#include "go/area.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sparring::go {

namespace {

/// Calls `visit` with each point connected to `start` by points that `take` accepts; `take` is called once
/// per point.
template <class Take, class Visit>
void flood(const Board& board, Point start, Take take, Visit visit) {
    std::array<Point, max_points> points;
    std::size_t count = 0;
    points[count++] = start;
    for (std::size_t i = 0; i < count; ++i) {
        visit(points[i]);
        for (const Point n : board.neighbours(points[i])) {
            if (n != off_board && take(n)) points[count++] = n;
        }
    }
}

/// The chains that touch every relevant point of a region.
struct Vital {
    std::array<Point, 4> chains;
    std::size_t count = 0;

    void add(Point chain) {
        if (std::find(chains.begin(), chains.begin() + count, chain) == chains.begin() + count)
            chains[count++] = chain;
    }
};

/// A region enclosed by one colour, in the sense of Benson.
struct Region {
    Vital vital;
    int inside = 0;         // points that touch none of the colour's stones
    bool invaded = false;   // has stones of the other colour
    bool doubtful = false;  // touches a chain of the colour that may be killed
};

/// Benson's algorithm for one colour: https://senseis.xmp.net/?BensonsAlgorithm
class UnconditionalLife {
 public:
    UnconditionalLife(const Board& board, Color color, bool suicide)
        : board_(board), color_(color), suicide_(suicide) {
        for (Point p = 0; p < board_.points(); ++p) {
            if (board_.at(p) == color_) {
                if (board_.chain(p) == p) chains_.push_back(p);
            } else if (board_.at(p) == empty && region_of_[p] == nowhere) {
                add_region(p);
            }
        }
        any_stones_ = !chains_.empty();
        for (const Region& region : regions_) {
            for (std::size_t i = 0; i < region.vital.count; ++i) ++eyes_[region.vital.chains[i]];
        }
        while (kill_one_round()) {
        }
    }

    /// Marks pass-alive chains and their territory, then empty regions that only this colour touches.
    void mark(Ownership& owners) const {
        if (!any_stones_) return;
        for (const Point chain : chains_) board_.for_chain(chain, [&](Point s) { owners[s] = color_; });
        for (Point p = 0; p < board_.points(); ++p) {
            if (region_of_[p] == nowhere) continue;
            const Region& region = regions_[region_of_[p]];
            const bool safe = !region.doubtful && (region.inside <= 1 || !region.invaded);
            // Points of pass-alive chains of the other colour stay theirs.
            if (safe || (!region.invaded && owners[p] == empty)) owners[p] = color_;
        }
    }

 private:
    static constexpr std::uint16_t nowhere = 0xFFFF;

    void add_region(Point start) {
        const auto index = static_cast<std::uint16_t>(regions_.size());
        Region region;
        for (const Point n : board_.neighbours(start)) {
            if (board_.at(n) == color_) region.vital.add(board_.chain(n));
        }
        std::array<Point, max_points> points;
        std::size_t count = 0;
        points[count++] = start;
        region_of_[start] = index;
        for (std::size_t i = 0; i < count; ++i) {
            bool touches = false;
            for (const Point n : board_.neighbours(points[i])) {
                const Color there = board_.at(n);
                if (there == color_) {
                    touches = true;
                } else if (there != wall && region_of_[n] == nowhere) {
                    region_of_[n] = index;
                    points[count++] = n;
                }
            }
            region.inside += !touches;
            region.invaded |= board_.at(points[i]) == ~color_;
            // If suicide is forbidden, points with stones of the other colour need not be liberties of the
            // chain.
            if (region.vital.count > 0 && (suicide_ || board_.at(points[i]) == empty))
                keep_touching(region.vital, points[i]);
        }
        regions_.push_back(region);
    }

    void keep_touching(Vital& vital, Point p) const {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < vital.count; ++i) {
            const Point chain = vital.chains[i];
            const auto& around = board_.neighbours(p);
            if (std::any_of(around.begin(), around.end(),
                            [&](Point n) { return board_.at(n) == color_ && board_.chain(n) == chain; }))
                vital.chains[kept++] = chain;
        }
        vital.count = kept;
    }

    /// Removes chains with fewer than two vital regions, and the regions that they touch, until nothing
    /// changes.
    bool kill_one_round() {
        const auto dead =
            std::partition(chains_.begin(), chains_.end(), [&](Point chain) { return eyes_[chain] >= 2; });
        if (dead == chains_.end()) return false;
        for (auto chain = dead; chain != chains_.end(); ++chain) {
            board_.for_chain(*chain, [&](Point s) {
                for (const Point n : board_.neighbours(s)) {
                    if (n != off_board && region_of_[n] != nowhere) doubt(regions_[region_of_[n]]);
                }
            });
        }
        chains_.erase(dead, chains_.end());
        return true;
    }

    void doubt(Region& region) {
        if (region.doubtful) return;
        region.doubtful = true;
        for (std::size_t i = 0; i < region.vital.count; ++i) --eyes_[region.vital.chains[i]];
    }

    static constexpr std::array<std::uint16_t, max_points> all_nowhere() {
        std::array<std::uint16_t, max_points> regions{};
        regions.fill(nowhere);
        return regions;
    }

    const Board& board_;
    Color color_;
    bool suicide_;
    bool any_stones_ = false;
    std::vector<Point> chains_;  // those that live, by their heads
    std::vector<Region> regions_;
    std::array<std::uint16_t, max_points> region_of_ = all_nowhere();
    std::array<std::uint16_t, max_points> eyes_{};  // vital regions of a chain, at its head
};

Ownership no_owners() {
    Ownership owners;
    owners.fill(empty);
    return owners;
}

}  // namespace

Ownership area_ownership(const Board& board) {
    Ownership owners = no_owners();
    std::array<bool, max_points> seen{};
    for (Point p = 0; p < board.points(); ++p) {
        if (board.at(p) != empty) owners[p] = board.at(p);
        if (board.at(p) != empty || seen[p]) continue;
        std::array<bool, 2> touches{};
        std::vector<Point> region;
        const auto take = [&](Point n) {
            if (board.at(n) != empty) {
                touches[board.at(n)] = true;
                return false;
            }
            return !std::exchange(seen[n], true);
        };
        seen[p] = true;
        flood(board, p, take, [&](Point n) { region.push_back(n); });
        if (touches[black] == touches[white]) continue;
        for (const Point n : region) owners[n] = touches[black] ? black : white;
    }
    return owners;
}

Ownership pass_alive_ownership(const Board& board, bool suicide) {
    Ownership owners = no_owners();
    for (const Color color : {black, white}) UnconditionalLife(board, color, suicide).mark(owners);
    for (Point p = 0; p < board.points(); ++p) {
        if (owners[p] == empty) owners[p] = board.at(p);
    }
    return owners;
}

IndependentLife independent_life(const Board& board, const Ownership& owners) {
    // First the groups in seki, then the rest.
    std::array<bool, max_points> dependent{};
    const auto depends = [&](Point p) {
        if (board.at(p) == owners[p] && board.liberties(p) == 1) return true;
        const auto& around = board.neighbours(p);
        return std::any_of(around.begin(), around.end(),
                           [&](Point n) { return board.at(n) == empty && owners[n] == empty; });
    };
    for (Point p = 0; p < board.points(); ++p) {
        if (owners[p] == empty || dependent[p] || !depends(p)) continue;
        const auto take = [&](Point n) {
            return owners[n] == owners[p] && !std::exchange(dependent[n], true);
        };
        dependent[p] = true;
        flood(board, p, take, [](Point) {});
    }
    IndependentLife result{no_owners(), {}};
    for (Point p = 0; p < board.points(); ++p) {
        if (owners[p] == empty || dependent[p] || result.owners[p] != empty) continue;
        ++result.groups[owners[p]];
        const auto take = [&](Point n) {
            return owners[n] == owners[p] && std::exchange(result.owners[n], owners[p]) == empty;
        };
        result.owners[p] = owners[p];
        flood(board, p, take, [](Point) {});
    }
    return result;
}

}  // namespace sparring::go
