// Points of a Go board: y * size + x with A1 = 0, rows from the bottom. A move's code is its point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparring::go {

using Point = std::uint16_t;

constexpr int min_board_size = 5;
constexpr int max_board_size = 19;
constexpr int max_points = max_board_size * max_board_size;

/// The neighbour beyond the edge: every point has four neighbours.
constexpr Point off_board = max_points;

/// No point.
constexpr Point no_point = off_board;

using Neighbours = std::array<Point, 4>;
using NeighbourTable = std::array<Neighbours, max_points>;

/// The neighbours of every point, by board size.
extern const std::array<NeighbourTable, max_board_size - min_board_size + 1> neighbour_tables;

/// The GTP vertex of a point, such as Q16; columns are A to T without I.
std::string point_text(Point point, int size);

/// The point of a GTP vertex in upper or lower case. Throws ParseError.
Point parse_point(std::string_view text, int size);

}  // namespace sparring::go
