// Values between JavaScript and the core, for browser.cpp and rbc.cpp.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "game/errors.hpp"
#include "game/state.hpp"
#include "rbc/position.hpp"

namespace sparring::browser {

using emscripten::val;

extern "C" void throw_error(const char* text);

/// The result of `work`; what it throws becomes a JavaScript Error with the same message.
template <class Work>
auto guarded(Work work) {
    std::string message;
    try {
        return work();
    } catch (const std::exception& error) {
        message = error.what();
    }
    throw_error(message.c_str());
    __builtin_unreachable();
}

/// A new typed array with the numbers.
template <class T>
val copied(const char* type, const std::vector<T>& numbers) {
    return val::global(type).new_(val(emscripten::typed_memory_view(numbers.size(), numbers.data())));
}

template <class T>
std::vector<T> numbers(const val& array) {
    return emscripten::convertJSArrayToNumberVector<T>(array);
}

inline Move checked(int move) {
    if (move < 0 || move > 0xFFFF) throw IllegalMove("illegal move code " + std::to_string(move));
    return static_cast<Move>(move);
}

/// A 64-bit number of two halves.
inline std::uint64_t whole(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }

// Of blind chess (rbc.cpp).

/// The result of a sense: squares with FEN letters, null where a square is empty.
val rbc_sense(const State<rbc::Position>& state, int centre);
/// The move that a request becomes, and the square of its capture or null.
val rbc_result_of(const State<rbc::Position>& state, int request);

}  // namespace sparring::browser
