#include "go/playout_ownership.hpp"

#include "game/random.hpp"
#include "go/area.hpp"

namespace sparring::go {

namespace {

/// Whether an empty point is an eye of the player: own stones on all sides, and on the diagonals at most one
/// stone of the opponent, none at the edge.
bool is_eye(const Board& board, Point p, Color player) {
    for (const Point n : board.neighbours(p)) {
        if (board.at(n) != player && board.at(n) != wall) return false;
    }
    const int size = board.size(), x = p % size, y = p / size;
    const bool at_edge = x == 0 || y == 0 || x == size - 1 || y == size - 1;
    int hostile = 0;
    for (const int dx : {-1, 1}) {
        for (const int dy : {-1, 1}) {
            if (x + dx < 0 || y + dy < 0 || x + dx >= size || y + dy >= size) continue;
            hostile += board.at(static_cast<Point>((y + dy) * size + x + dx)) == ~player;
        }
    }
    return hostile <= (at_edge ? 0 : 1);
}

/// The last liberty of a chain in atari.
Point last_liberty(const Board& board, Point stone) {
    Point liberty = no_point;
    board.for_chain(stone, [&](Point s) {
        for (const Point n : board.neighbours(s)) {
            if (board.at(n) == empty) liberty = n;
        }
    });
    return liberty;
}

/// Captures the stones that the opponent's last move left in atari, or saves own ones that it put into atari;
/// no_point if there are none.
Point atari_answer(const Position& position, Move last) {
    const Board& board = position.board();
    if (last == position.pass() || board.at(last) == empty) return no_point;
    const auto player = static_cast<Color>(position.side());
    if (board.liberties(last) == 1) {
        const Point p = last_liberty(board, last);
        if (position.playable(p)) return p;
    }
    for (const Point n : board.neighbours(last)) {
        if (board.at(n) != player || board.liberties(n) != 1) continue;
        const Point p = last_liberty(board, n);
        if (!position.playable(p)) continue;
        Board after = board;
        after.place(player, p);
        if (after.at(p) == player && after.liberties(p) > 1) return p;
    }
    return no_point;
}

/// A random move that fills no own eye; the pass if there is none.
Move random_move(const Position& position, Move last, Random& random) {
    if (const Point answer = atari_answer(position, last); answer != no_point) return answer;
    const auto points = static_cast<std::uint32_t>(position.pass());
    const auto player = static_cast<Color>(position.side());
    const auto good = [&](Point p) { return position.playable(p) && !is_eye(position.board(), p, player); };
    constexpr int tries = 16;
    for (int i = 0; i < tries; ++i) {
        const auto p = static_cast<Point>(random.below(points));
        if (good(p)) return p;
    }
    const std::uint32_t first = random.below(points);
    for (std::uint32_t i = 0; i < points; ++i) {
        const auto p = static_cast<Point>((first + i) % points);
        if (good(p)) return p;
    }
    return position.pass();
}

Ownership play_to_the_end(Position position, Random& random) {
    const int limit = 3 * position.board().points();  // a triple ko could go on for ever
    Move last = position.pass();
    for (int plies = 0, passes = 0; passes < 2 && plies < limit; ++plies) {
        last = random_move(position, last, random);
        passes = last == position.pass() ? passes + 1 : 0;
        position.play(last);
    }
    return area_ownership(position.board());
}

}  // namespace

std::vector<float> playout_ownership(const Position& position, std::uint64_t seed, int playouts) {
    const auto points = static_cast<std::size_t>(position.board().points());
    const Ownership alive = pass_alive_ownership(position.board(), position.rules().suicide);
    std::vector<float> owners(points);
    Random random(seed);
    for (int i = 0; i < playouts; ++i) {
        Position start = position;
        if (i % 2) start.play(start.pass());
        const Ownership end = play_to_the_end(start, random);
        for (std::size_t p = 0; p < points; ++p) {
            if (end[p] != empty) owners[p] += (end[p] == black ? 1.0F : -1.0F) / static_cast<float>(playouts);
        }
    }
    for (std::size_t p = 0; p < points; ++p) {
        const Color stone = position.board().at(static_cast<Point>(p));
        if (stone != empty && alive[p] == ~stone) owners[p] = stone == white ? 1.0F : -1.0F;
    }
    return owners;
}

}  // namespace sparring::go
