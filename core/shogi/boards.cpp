#include "shogi/boards.hpp"

#include <algorithm>

namespace sparring::shogi::boards {

namespace {

constexpr std::size_t area = num_squares;

/// The cell of a square as the side to move sees it.
constexpr std::size_t cell(Square seen) {
    return static_cast<std::size_t>(rank_of(seen) * 9 + 8 - file_of(seen));
}

void encode_board(const Board& board, Color us, std::uint8_t* planes) {
    for (const Color side : {us, ~us}) {
        for (int type = 0; type < num_piece_types; ++type, planes += area) {
            for_each(board.colors[side] & board.types[type],
                     [&](Square s) { planes[cell(us == black ? s : num_squares - 1 - s)] = 1; });
        }
    }
}

}  // namespace

void encode(const Node<Position>& node, int boards, std::uint8_t* out) {
    const Board& now = node.position.board();
    const Color us = now.side();
    const Node<Position>* shown = &node;
    for (int back = 0; back < boards && shown; ++back, shown = shown->previous.get()) {
        encode_board(shown->position.board(), us, out + static_cast<std::size_t>(back) * board_planes * area);
    }
    out += static_cast<std::size_t>(boards) * board_planes * area;
    for (const Color side : {us, ~us}) {
        for (int type = 0; type < num_hand_types; ++type, out += area) {
            std::fill_n(out, area, now.hands[side][static_cast<std::size_t>(type)]);
        }
    }
    std::fill_n(out, area, static_cast<std::uint8_t>(now.in_check()));
}

std::optional<std::uint16_t> label(const Board& board, Move move) {
    const auto label = dlshogi::label(board, move);
    if (!label) return {};
    const std::size_t plane = *label / area;
    return static_cast<std::uint16_t>(plane * area + cell(static_cast<Square>(*label % area)));
}

}  // namespace sparring::shogi::boards
