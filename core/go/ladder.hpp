// The ladder search of KataGo.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "go/board.hpp"

namespace sparring::go {

/// The ladders of a board.
struct Ladders {
    std::vector<Point> captured;  // the stones of chains in atari that cannot get out, and of chains
                                  // with two liberties that can be put into such an atari
    std::vector<std::pair<Point, Point>> working;  // for the latter: a stone, and a move that does it
};

/// Searches ladders. Keeps its buffers between calls.
///
/// The rules are those of KataGo, since its networks were trained with them: a ko counts as an escape, a
/// chain between two kos is captured, and a chain lives if 25,000 moves do not decide.
class LadderReader {
 public:
    /// All ladders of a board; `ko` is the ko point of the player to move, or no_point.
    Ladders read(const Board& board, Point ko);

 private:
    bool captured(Point stone);
    std::vector<Point> working(Point stone, Point ko);
    void begin(Point stone, int root);
    bool exhausted() const;
    Point play(int depth, Color c, Point p);
    bool defender_loses(int depth, Point ko);
    bool attacker_wins(int depth, Point ko);
    bool between_two_kos(const Board& board, Point a, Point b) const;
    std::size_t order(const Board& board, Point* moves) const;

    std::vector<Board> boards_;      // of the current variation, by depth
    std::vector<Point> candidates_;  // moves to try, of all depths
    int deepest_ = 0;                // at this depth the chain counts as captured
    int moves_ = 0;
    Point stone_ = 0;
    Color color_ = black;  // of the defender
};

}  // namespace sparring::go
