// Errors in the input of a caller. Both are subclasses of ValueError in Python.
#pragma once

#include <stdexcept>

namespace sparring {

/// A text that is not a valid position, move or rule.
struct ParseError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// A move that is not legal in this state.
struct IllegalMove : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

}  // namespace sparring
