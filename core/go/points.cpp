#include "go/points.hpp"

#include "game/errors.hpp"
#include "game/text.hpp"

namespace sparring::go {

namespace {

constexpr std::string_view columns = "ABCDEFGHJKLMNOPQRST";

constexpr NeighbourTable make_neighbours(int size) {
    NeighbourTable table{};
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
            const auto at = [&](int column, int row) {
                const bool inside = column >= 0 && column < size && row >= 0 && row < size;
                return inside ? static_cast<Point>(row * size + column) : off_board;
            };
            table[static_cast<std::size_t>(y * size + x)] = {at(x, y - 1), at(x - 1, y), at(x + 1, y),
                                                             at(x, y + 1)};
        }
    }
    return table;
}

constexpr auto make_tables() {
    std::array<NeighbourTable, max_board_size - min_board_size + 1> tables{};
    for (int size = min_board_size; size <= max_board_size; ++size) {
        tables[static_cast<std::size_t>(size - min_board_size)] = make_neighbours(size);
    }
    return tables;
}

}  // namespace

constinit const std::array<NeighbourTable, max_board_size - min_board_size + 1> neighbour_tables =
    make_tables();

std::string point_text(Point point, int size) {
    return columns[static_cast<std::size_t>(point % size)] + std::to_string(point / size + 1);
}

Point parse_point(std::string_view text, int size) {
    if (text.size() >= 2) {
        const char letter =
            text[0] >= 'a' && text[0] <= 'z' ? static_cast<char>(text[0] - 'a' + 'A') : text[0];
        const auto column = columns.find(letter);
        const auto row = parse_int(text.substr(1), size);
        if (column < static_cast<std::size_t>(size) && row && *row > 0) {
            return static_cast<Point>((*row - 1) * size + static_cast<int>(column));
        }
    }
    const std::string corner = point_text(static_cast<Point>(size * size - 1), size);
    throw ParseError(quoted(text) + " is not a point from A1 to " + corner + " (there is no column I)");
}

}  // namespace sparring::go
