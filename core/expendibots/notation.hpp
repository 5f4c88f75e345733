// Positions and actions as text.
//
// A position is written like FEN, the initial one
//
//     aa1aa1aa/aa1aa1aa/8/8/8/8/AA1AA1AA/AA1AA1AA w 0
//
// The rows come from Black's side (y = 7) down, the columns from x = 0. A letter is a stack: A to L
// are White's stacks of 1 to 12 tokens, a to l are Black's. A digit is a run of empty squares. Then
// the side to move, w or b, and the number of actions that both sides have taken, 0 to 500 (0 when
// left out).
//
// An action is written `boom c1` or `2c1-c3`: two tokens go from c1 to c3. The letters a to h are
// x = 0 to 7, the rank is y + 1. Without the number the whole stack goes. The forms of the course referee are
// read, too: `MOVE 2 from (2, 0) to (2, 2).`, `BOOM at (2, 0).`, and its tuples as Python prints them.
#pragma once

#include <string>
#include <string_view>

#include "expendibots/board.hpp"

namespace sparring::expendibots {

/// The game's length: 250 turns for each side.
constexpr int action_limit = 500;

std::string position_text(const Board& board);
/// Throws ParseError.
Board parse_position(std::string_view text);

/// The text of an action; an invalid code gives # and its number.
std::string action_text(Move code);
/// Parses an action. The board gives the height of a stack that moves as a whole. Throws ParseError.
Move parse_action(const Board& board, std::string_view text);

}  // namespace sparring::expendibots
