// Ladders as KataGo reads them: which chains are lost to a sequence of ataris.
#pragma once

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

/// All ladders on a board; `ko` is where the player to move may not take back, or no_point.
///
/// The search is KataGo's, so that its networks see what they learned from: a defender who is left a
/// ko has escaped, a chain between two kos has not, 25,000 moves without an answer mean that it lives.
Ladders find_ladders(const Board& board, Point ko);

}  // namespace sparring::go
