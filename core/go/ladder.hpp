// Ladders as KataGo reads them: which chains are lost to a sequence of ataris.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "go/board.hpp"

namespace sparring::go {

/// What ladders do to the chains of a board.
struct Ladders {
    std::vector<Point> captured;  // the stones of chains in atari that cannot get out, and of chains
                                  // with two liberties that can be put into such an atari
    std::vector<std::pair<Point, Point>> working;  // for the latter: a stone, and a move that does it
};

/// Reads ladders. Keeps its boards from one reading to the next.
///
/// The search is KataGo's, so that its networks see what they learned from: a defender who is left a
/// ko has escaped, a chain between two kos has not, 25,000 moves without an answer mean that it lives.
class LadderReader {
 public:
    /// All ladders on a board; `ko` is where the player to move may not take back, or no_point.
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

    std::vector<Board> boards_;      // of the line that is being read, one for each depth
    std::vector<Point> candidates_;  // moves to try, of all depths one after the other
    int deepest_ = 0;                // reading further than this means that the attacker got his way
    int moves_ = 0;
    Point stone_ = 0;
    Color color_ = black;  // of the defender
};

}  // namespace sparring::go
