// The rules of a Go game.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "go/points.hpp"

namespace sparring::go {

/// Forbidden repetitions. Passes are always legal.
enum class KoRule : std::uint8_t {
    positional,   // no position of the line may recur
    situational,  // no position may recur with the same player to move
    simple,       // a ko may not be retaken at once
};

enum class ScoringRule : std::uint8_t {
    area,       // stones and territory
    territory,  // territory and prisoners
};

/// The group tax. A group is connected by its stones and its territory.
enum class TaxRule : std::uint8_t {
    none,
    seki,  // no territory in seki: for groups that touch neutral points or are in atari
    all,   // as seki, and two points less for every other group
};

struct Rules {
    std::int16_t komi = 15;  // in half points
    KoRule ko = KoRule::positional;
    ScoringRule scoring = ScoringRule::area;
    bool suicide = false;  // of two or more stones; suicide of a single stone is never legal
    TaxRule tax = TaxRule::none;

    bool operator==(const Rules&) const = default;
};

constexpr int max_komi = max_points;  // in points, positive or negative

const char* name(KoRule ko);
const char* name(ScoringRule scoring);
const char* name(TaxRule tax);

/// Parses the name of a rule. Throws ParseError.
KoRule parse_ko(std::string_view name);
ScoringRule parse_scoring(std::string_view name);
TaxRule parse_tax(std::string_view name);

/// Komi in half points. Throws ParseError unless it is a multiple of 0.5 and at most max_komi.
std::int16_t komi_halves(double points);

/// Checks a board size. Throws ParseError.
int checked_size(int size);

/// The points of GTP's fixed_handicap; none for 0. Throws ParseError if the board size has no such handicap.
std::vector<Point> handicap_points(int stones, int size);

}  // namespace sparring::go
