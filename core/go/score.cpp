// Counting: who owns the empty regions of a board.
#include <stdexcept>
#include <string>
#include <vector>

#include "go/position.hpp"

namespace sparring::go {

namespace {

/// The points of an empty region, and whether it touches Black and White.
struct Region {
    std::vector<Point> points;
    std::array<bool, 2> touches{};
};

Region region_of(const Board& board, Point start, std::array<bool, most_points>& seen) {
    Region region;
    region.points.push_back(start);
    seen[start] = true;
    for (std::size_t i = 0; i < region.points.size(); ++i) {
        for (const Point n : board.neighbours(region.points[i])) {
            const Color there = board.at(n);
            if (there == beyond) continue;
            if (there != empty) {
                region.touches[there] = true;
            } else if (!seen[n]) {
                seen[n] = true;
                region.points.push_back(n);
            }
        }
    }
    return region;
}

/// Stones of each colour, and empty points that only that colour touches.
struct Count {
    std::array<std::int64_t, 2> stones{};
    std::array<std::int64_t, 2> territory{};
};

Count count(const Board& board) {
    Count result;
    std::array<bool, most_points> seen{};
    for (Point p = 0; p < board.points(); ++p) {
        const Color there = board.at(p);
        if (there != empty) {
            ++result.stones[there];
        } else if (!seen[p]) {
            const Region region = region_of(board, p, seen);
            if (region.touches[black] != region.touches[white]) {
                result.territory[region.touches[black] ? black : white] +=
                    static_cast<std::int64_t>(region.points.size());
            }
        }
    }
    return result;
}

}  // namespace

Score Position::score(std::span<const int> dead) const {
    std::array<std::int64_t, 2> taken{prisoners_[black], prisoners_[white]};
    Board board = board_;
    for (const int point : dead) {
        if (point < 0 || point >= board.points() || board_.at(static_cast<Point>(point)) == empty) {
            const bool inside = point >= 0 && point < board.points();
            throw std::invalid_argument(
                "there is no stone on point " +
                (inside ? point_text(static_cast<Point>(point), size()) : std::to_string(point)) +
                " that could be dead");
        }
        const auto p = static_cast<Point>(point);
        const Color c = board.at(p);
        if (c != empty) taken[~c] += board.remove_chain(p);  // else its chain was named already
    }
    const Count counted = count(board);
    const auto points = [&](Color c) {
        const auto extra = rules_.scoring == Scoring::area ? counted.stones[c] : taken[c];
        return 2 * (counted.territory[c] + extra);
    };
    return {points(black), points(white) + rules_.komi};
}

}  // namespace sparring::go
