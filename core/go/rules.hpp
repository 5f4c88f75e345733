// The rules that Go players agree on before a game.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "go/points.hpp"

namespace sparring::go {

/// Which plays are forbidden because they repeat. Passes never are.
enum class KoRule : std::uint8_t {
    positional,   // no whole-board position of the line comes back
    situational,  // nor with the same player to move
    simple,       // a single stone that just took a single stone is not taken back at once
};

enum class ScoringRule : std::uint8_t {
    area,       // stones and the empty regions that they alone touch
    territory,  // such regions and prisoners
};

/// What living groups pay. A group is everything that hangs together over its stones and its territory.
enum class TaxRule : std::uint8_t {
    none,
    seki,  // no territory in seki: of groups that touch neutral points or stand in atari
    all,   // nor the two points that every other group needs to live
};

struct Rules {
    std::int16_t komi = 15;  // White's points for moving second, in halves
    KoRule ko = KoRule::positional;
    ScoringRule scoring = ScoringRule::area;
    bool suicide = false;  // of two stones or more: that of one would be a pass that costs a prisoner
    TaxRule tax = TaxRule::none;

    bool operator==(const Rules&) const = default;
};

constexpr int max_komi = max_points;  // in points, either way

const char* name(KoRule ko);
const char* name(ScoringRule scoring);
const char* name(TaxRule tax);

/// The rule of that name; throws ParseError.
KoRule parse_ko(std::string_view name);
ScoringRule parse_scoring(std::string_view name);
TaxRule parse_tax(std::string_view name);

/// Komi in halves of a point; throws ParseError unless it is a multiple of 0.5 within bounds.
std::int16_t komi_halves(double points);

/// The size; throws ParseError unless it is from the smallest to the largest board.
int checked_size(int size);

/// The points of GTP's fixed_handicap; none for 0, throws ParseError where the size has no such handicap.
std::vector<Point> handicap_points(int stones, int size);

}  // namespace sparring::go
