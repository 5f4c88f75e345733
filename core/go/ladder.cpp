#include "go/ladder.hpp"

#include <algorithm>

namespace sparring::go {

namespace {

constexpr int max_ladder_moves = 25'000;

/// The distinct moves that a side may try.
using Candidates = std::vector<Point>;

void add(Candidates& list, std::size_t from, Point p) {
    if (std::find(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(), p) == list.end())
        list.push_back(p);
}

void add_liberties(const Board& board, Point stone, Candidates& list, std::size_t from) {
    board.for_chain(stone, [&](Point s) {
        for (const Point n : board.neighbours(s)) {
            if (board.at(n) == empty) add(list, from, n);
        }
    });
}

/// Adds the moves that capture chains adjacent to this one.
void add_captures(const Board& board, Point stone, Candidates& list, std::size_t from) {
    const Color enemy = ~board.at(stone);
    std::array<Point, max_points> seen;
    std::size_t count = 0;
    board.for_chain(stone, [&](Point s) {
        for (const Point n : board.neighbours(s)) {
            if (board.at(n) != enemy || board.liberties(n) != 1) continue;
            const Point chain = board.chain(n);
            if (std::find(seen.begin(), seen.begin() + count, chain) != seen.begin() + count) continue;
            seen[count++] = chain;
            add_liberties(board, n, list, from);
        }
    });
}

bool can_capture(const Board& board, Point stone) {
    bool captures = false;
    board.for_chain(stone, [&](Point s) {
        for (const Point n : board.neighbours(s))
            captures |= board.at(n) == ~board.at(stone) && board.liberties(n) == 1;
    });
    return captures;
}

int adjacent_empty(const Board& board, Point p) {
    int count = 0;
    for (const Point n : board.neighbours(p)) count += board.at(n) == empty;
    return count;
}

/// Bounds on the liberties of a new stone on the point.
struct Bounds {
    int lower;
    int upper;
};

Bounds liberties_after(const Board& board, Color c, Point p) {
    int beside = 0, captures = 0, captured = 0, joined = 0, widest = 0;
    for (const Point n : board.neighbours(p)) {
        if (board.at(n) == empty) {
            ++beside;
        } else if (board.at(n) == c) {
            joined += board.liberties(n) - 1;
            widest = std::max(widest, board.liberties(n) - 1);
        } else if (board.at(n) == ~c && board.liberties(n) == 1) {
            ++captures;
            captured += board.chain_size(n);
        }
    }
    return {captures + std::max(widest, beside), beside + captured + joined};
}

/// Whether a stone of this colour on the point captures exactly one stone and can be recaptured: a ko.
bool takes_ko(const Board& board, Color c, Point p) {
    int takes = 0;
    for (const Point n : board.neighbours(p)) {
        if (board.at(n) == wall) continue;
        if (board.at(n) != ~c) return false;
        if (board.liberties(n) > 1) continue;
        if (board.chain_size(n) > 1) return false;
        ++takes;
    }
    return takes == 1;
}

/// A heuristic value of the defender's connections beside the point, in half liberties.
int reach(const Board& board, Color c, Point p) {
    int halves = 2 * adjacent_empty(board, p);
    for (const Point n : board.neighbours(p)) {
        if (board.at(n) == c && board.liberties(n) > 1) halves += 2 * board.liberties(n) - 3;
    }
    return halves;
}

bool adjacent(const Board& board, Point a, Point b) {
    const auto& around = board.neighbours(a);
    return std::find(around.begin(), around.end(), b) != around.end();
}

/// Whether the defender gets three liberties by `escape` after the attacker's `move`: no search is needed
/// then.
bool runs_free(const Board& board, Color c, Point move, Point escape) {
    int beside = 0, widest = 0;
    for (const Point n : board.neighbours(escape)) {
        if (board.at(n) == empty) {
            beside += n != move;
        } else if (board.at(n) == c) {
            widest = std::max(widest, board.liberties(n) - 2);  // minus the escape, and possibly the move
        }
    }
    return std::max(beside, widest) >= 3;
}

bool legal(const Board& board, Color c, Point p, Point ko) { return p != ko && board.playable(c, p, false); }

}  // namespace

Ladders LadderReader::read(const Board& board, Point ko) {
    Ladders result;
    if (boards_.empty()) {
        boards_.push_back(board);
    } else {
        boards_[0] = board;
    }
    std::array<bool, max_points> seen{};
    for (Point p = 0; p < board.points(); ++p) {
        if (board.at(p) == empty || board.liberties(p) > 2 || seen[p]) continue;
        board.for_chain(p, [&](Point s) { seen[s] = true; });
        const bool in_atari = board.liberties(p) == 1;
        const std::vector<Point> moves = in_atari ? std::vector<Point>{} : working(p, ko);
        if (in_atari ? !captured(p) : moves.empty()) continue;
        board.for_chain(p, [&](Point s) { result.captured.push_back(s); });
        for (const Point move : moves) result.working.emplace_back(p, move);
    }
    return result;
}

/// Whether a chain in atari is captured if its owner moves.
bool LadderReader::captured(Point stone) {
    begin(stone, 0);
    return defender_loses(0, no_point) && !exhausted();
}

/// The attacker's moves on the two liberties of a chain that capture it.
std::vector<Point> LadderReader::working(Point stone, Point ko) {
    std::vector<Point> result;
    begin(stone, 1);
    add_liberties(boards_[0], stone, candidates_, 0);
    const Point moves[] = {candidates_[0], candidates_[1]};
    for (const std::size_t i : {0, 1}) {
        if (!legal(boards_[0], ~color_, moves[i], ko) ||
            runs_free(boards_[0], color_, moves[i], moves[1 - i]))
            continue;
        begin(stone, 1);
        play(0, ~color_, moves[i]);  // a ko counts for the defender
        moves_ = 0;
        if (defender_loses(1, no_point) && !exhausted()) result.push_back(moves[i]);
    }
    return result;
}

void LadderReader::begin(Point stone, int root) {
    stone_ = stone;
    color_ = boards_[0].at(stone);
    deepest_ = root + boards_[0].points() * 3 / 2;
    moves_ = 0;
    candidates_.clear();
}

bool LadderReader::exhausted() const { return moves_ >= max_ladder_moves; }

/// Plays a move on the next board of the variation; returns the ko point.
Point LadderReader::play(int depth, Color c, Point p) {
    const auto next = static_cast<std::size_t>(depth) + 1;
    if (boards_.size() <= next) {
        boards_.push_back(boards_[next - 1]);
    } else {
        boards_[next] = boards_[next - 1];
    }
    Board& board = boards_[next];
    const PlaceResult placed = board.place(c, p);
    ++moves_;
    const bool ko = placed.captured == 1 && board.chain_size(p) == 1 && board.liberties(p) == 1;
    return ko ? placed.taken : no_point;
}

bool LadderReader::defender_loses(int depth, Point ko) {
    if (depth >= deepest_) return true;
    const auto at = static_cast<std::size_t>(depth);
    if (boards_[at].liberties(stone_) >= 2 || ko != no_point) return false;

    const std::size_t from = candidates_.size();
    add_captures(boards_[at], stone_, candidates_, from);
    add_liberties(boards_[at], stone_, candidates_, from);
    const std::size_t to = candidates_.size();
    const Bounds bounds = liberties_after(boards_[at], color_, candidates_.back());
    bool lost = bounds.lower < 3;
    if (lost && (to - from > 1 || bounds.upper > 1)) {
        for (std::size_t i = from; lost && i < to && !exhausted(); ++i) {
            if (!legal(boards_[at], color_, candidates_[i], ko)) continue;
            const Point left = play(depth, color_, candidates_[i]);
            lost = attacker_wins(depth + 1, left);
        }
    }
    candidates_.resize(from);
    return lost;
}

bool LadderReader::attacker_wins(int depth, Point ko) {
    if (depth >= deepest_) return true;
    const auto at = static_cast<std::size_t>(depth);
    const int liberties = boards_[at].liberties(stone_);
    if (liberties != 2) return liberties < 2;

    const std::size_t from = candidates_.size();
    add_liberties(boards_[at], stone_, candidates_, from);
    bool won = between_two_kos(boards_[at], candidates_[from], candidates_[from + 1]);
    if (!won) {
        const std::size_t to = from + order(boards_[at], candidates_.data() + from);
        for (std::size_t i = from; !won && i < to && !exhausted(); ++i) {
            if (!legal(boards_[at], ~color_, candidates_[i], ko)) continue;
            const Point left = play(depth, ~color_, candidates_[i]);
            won = defender_loses(depth + 1, left);
        }
    }
    candidates_.resize(from);
    return won;
}

/// Whether both liberties are kos that the attacker can take and neither connection gains a liberty.
bool LadderReader::between_two_kos(const Board& board, Point a, Point b) const {
    const auto gains = [&](Point p) {
        Board joined = board;
        joined.place(color_, p);
        return joined.liberties(p) > 2;
    };
    return takes_ko(board, ~color_, a) && takes_ko(board, ~color_, b) && !gains(a) && !gains(b) &&
           !can_capture(board, stone_);
}

/// Orders the attacker's two moves and returns the number worth searching.
std::size_t LadderReader::order(const Board& board, Point* moves) const {
    if (!adjacent(board, moves[0], moves[1])) {
        // The defender would get three liberties there.
        const bool first_open = adjacent_empty(board, moves[0]) >= 3;
        const bool second_open = adjacent_empty(board, moves[1]) >= 3;
        if (second_open && !first_open) moves[0] = moves[1];
        if (first_open || second_open) return first_open && second_open ? 0 : 1;
    }
    if (reach(board, color_, moves[1]) > reach(board, color_, moves[0])) std::swap(moves[0], moves[1]);
    return 2;
}

}  // namespace sparring::go
