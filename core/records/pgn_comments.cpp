#include "records/pgn_comments.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sparring::records {

namespace {

/// Digits with at most one point among them, as many as a double holds exactly; taken off the front.
std::optional<double> take_decimal(std::string_view& text) {
    constexpr int max_digits = 15;
    std::int64_t value = 0, unit = 1;
    int digits = 0;
    std::size_t length = 0;
    for (bool fraction = false; length < text.size(); ++length) {
        const char c = text[length];
        if (c == '.' && !fraction) {
            fraction = true;
        } else if (c >= '0' && c <= '9') {
            value = value * 10 + (c - '0');
            if (fraction) unit *= 10;
            if (++digits > max_digits) return std::nullopt;
        } else {
            break;
        }
    }
    if (digits == 0) return std::nullopt;
    text.remove_prefix(length);
    return static_cast<double>(value) / static_cast<double>(unit);
}

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

}  // namespace

std::int32_t parse_clock(std::string_view text) {
    double seconds = 0;
    do {
        const auto part = take_decimal(text);
        if (!part || *part > 1e6) return no_clock;
        seconds = seconds * 60 + *part;
    } while (take(text, ":"));
    return text.empty() && seconds < 1e8 ? static_cast<std::int32_t>(std::lround(seconds * 10)) : no_clock;
}

std::int16_t parse_eval(std::string_view text) {
    const bool mate = take(text, "#"), negative = take(text, "-");
    if (!negative) take(text, "+");
    const auto value = take_decimal(text);
    if (!value || (!text.empty() && text.front() != ',')) return no_eval;
    const double size = mate ? mate_eval - std::min(std::floor(*value), 1000.0)
                             : std::min(std::floor(*value * 100 + 0.5), 29999.0);
    return static_cast<std::int16_t>(negative ? -size : size);
}

}  // namespace sparring::records
