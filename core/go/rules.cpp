#include "go/rules.hpp"

#include <cmath>
#include <string>

#include "game/errors.hpp"
#include "game/text.hpp"

namespace sparring::go {

const char* name(KoRule ko) {
    switch (ko) {
        case KoRule::positional: return "positional";
        case KoRule::situational: return "situational";
        case KoRule::simple: return "simple";
    }
    return "positional";
}

const char* name(ScoringRule scoring) { return scoring == ScoringRule::area ? "area" : "territory"; }

const char* name(TaxRule tax) {
    switch (tax) {
        case TaxRule::none: return "none";
        case TaxRule::seki: return "seki";
        case TaxRule::all: return "all";
    }
    return "none";
}

KoRule parse_ko(std::string_view text) {
    for (const KoRule ko : {KoRule::positional, KoRule::situational, KoRule::simple}) {
        if (text == name(ko)) return ko;
    }
    throw ParseError("ko rule " + quoted(text) + " is not positional, situational or simple");
}

ScoringRule parse_scoring(std::string_view text) {
    for (const ScoringRule scoring : {ScoringRule::area, ScoringRule::territory}) {
        if (text == name(scoring)) return scoring;
    }
    throw ParseError("scoring " + quoted(text) + " is not area or territory");
}

TaxRule parse_tax(std::string_view text) {
    for (const TaxRule tax : {TaxRule::none, TaxRule::seki, TaxRule::all}) {
        if (text == name(tax)) return tax;
    }
    throw ParseError("tax " + quoted(text) + " is not none, seki or all");
}

std::int16_t komi_halves(double points) {
    const double halves = points * 2;
    if (!(std::abs(halves) <= 2 * max_komi) || halves != std::floor(halves)) {
        throw ParseError("komi " + std::to_string(points) + " is not a multiple of 0.5 from -" +
                         std::to_string(max_komi) + " to " + std::to_string(max_komi));
    }
    return static_cast<std::int16_t>(halves);
}

int checked_size(int size) {
    if (size < min_board_size || size > max_board_size) {
        throw ParseError("board size " + std::to_string(size) + " is not from " +
                         std::to_string(min_board_size) + " to " + std::to_string(max_board_size));
    }
    return size;
}

std::vector<Point> handicap_points(int stones, int size) {
    checked_size(size);
    if (stones == 0) return {};
    const int most = size < 7 ? 0 : size == 7 || size % 2 == 0 ? 4 : 9;
    if (stones < 2 || stones > most) {
        throw ParseError("handicap " + std::to_string(stones) + " is not possible on a board of size " +
                         std::to_string(size) + ": " +
                         (most == 0 ? "none is" : "0 or 2 to " + std::to_string(most) + " are"));
    }
    const int near = size < 13 ? 2 : 3, middle = size / 2, far = size - 1 - near;
    const auto at = [&](int x, int y) { return static_cast<Point>(y * size + x); };
    const Point centre = at(middle, middle);
    std::vector<Point> points{at(near, near),   at(far, far),    at(near, far),    at(far, near),
                              at(near, middle), at(far, middle), at(middle, near), at(middle, far)};
    points.resize(static_cast<std::size_t>(stones), centre);  // nine: all eight and the centre
    if (stones == 5 || stones == 7) points.back() = centre;   // an odd stone stands in the centre
    return points;
}

}  // namespace sparring::go
