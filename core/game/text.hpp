// Helpers of the text parsers. A parser accepts any bytes and returns a value or throws ParseError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparring {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The text without white space at its ends.
std::string_view trimmed(std::string_view text);

/// The words of a text between runs of white space.
std::vector<std::string_view> split_words(std::string_view text);

/// A decimal number without sign from 0 to `limit`, or nothing.
std::optional<int> parse_int(std::string_view text, int limit);

/// The text in quotes for an error message: at most 80 bytes, unprintable ones replaced.
std::string quoted(std::string_view text);

}  // namespace sparring
