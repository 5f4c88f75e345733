// Options of an algorithm, declared once: a struct of options has the members with their defaults, and a
// static function `options()` that returns a tuple of `Option`s with names, ranges and docs.
//
// The bindings make the Python class of it, which lists the options again (`PuctConfig.options()`). Keys of
// TOML files, protocol options and the tables in docs/ are made from that list (sparring/base/config.py).
#pragma once

#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

namespace sparring {

/// The numbers that an option takes, both ends included unless `open_low`. An infinite end is a valid value.
struct Range {
    double low = 0, high = 1;
    bool open_low = false;

    bool contains(double value) const { return (open_low ? value > low : value >= low) && value <= high; }

    std::string text() const {
        char buffer[80];
        if (high == std::numeric_limits<double>::infinity())
            std::snprintf(buffer, sizeof buffer, "%s %.10g", open_low ? "above" : "at least", low);
        else if (open_low)
            std::snprintf(buffer, sizeof buffer, "above %.10g and at most %.10g", low, high);
        else
            std::snprintf(buffer, sizeof buffer, "from %.10g to %.10g", low, high);
        return buffer;
    }
};

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// An option of the struct C. A bool has no range.
template <class C, class T>
struct Option {
    const char* name;
    T C::* member;
    const char* doc;
    Range range{};
};
template <class C, class T>
Option(const char*, T C::*, const char*, Range) -> Option<C, T>;
template <class C>
Option(const char*, bool C::*, const char*) -> Option<C, bool>;

/// Throws std::invalid_argument if an option is out of its range.
template <class C>
void check_options(const C& values) {
    const auto check = [&]<class T>(const Option<C, T>& option) {
        if constexpr (!std::is_same_v<T, bool>) {
            if (!option.range.contains(static_cast<double>(values.*option.member)))
                throw std::invalid_argument(std::string(option.name) + " must be " + option.range.text());
        }
    };
    std::apply([&](const auto&... options) { (check(options), ...); }, C::options());
}

}  // namespace sparring
