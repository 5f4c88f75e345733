// Scoring by the rules of a game.
#include <stdexcept>
#include <string>

#include "go/area.hpp"
#include "go/position.hpp"

namespace sparring::go {

namespace {

constexpr int group_tax = 2;  // points per group

/// The stones of each colour, and its territory after tax.
struct Count {
    std::array<std::int64_t, 2> stones{};
    std::array<std::int64_t, 2> territory{};
};

Count count(const Board& board, TaxRule tax) {
    Count result;
    Ownership owners = area_ownership(board);
    if (tax != TaxRule::none) {
        const IndependentLife independent = independent_life(board, owners);
        owners = independent.owners;
        for (const Color c : {black, white}) {
            if (tax == TaxRule::all) result.territory[c] -= group_tax * independent.groups[c];
        }
    }
    for (Point p = 0; p < board.points(); ++p) {
        if (board.at(p) != empty) {
            ++result.stones[board.at(p)];
        } else if (owners[p] != empty) {
            ++result.territory[owners[p]];
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
        if (c != empty) taken[~c] += board.remove_chain(p);  // else the chain was removed before
    }
    const Count counted = count(board, rules_.tax);
    const auto points = [&](Color c) {
        const auto extra = rules_.scoring == ScoringRule::area ? counted.stones[c] : taken[c];
        return 2 * (counted.territory[c] + extra);
    };
    return {points(black), points(white) + rules_.komi};
}

}  // namespace sparring::go
