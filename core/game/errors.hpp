// The two ways in which a caller's input can be wrong. Both reach Python as ValueErrors.
#pragma once

#include <stdexcept>

namespace sparring {

/// A text that is not a position, a move or a rule set of the game.
struct ParseError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// A move that the rules do not allow in this state.
struct IllegalMove : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

}  // namespace sparring
