#include "shogi/dlshogi.hpp"

#include <algorithm>
#include <array>

namespace sparring::shogi::dlshogi {

namespace {

constexpr std::size_t max_attackers = 3;
constexpr std::size_t planes_a_side = 2 * num_piece_types + max_attackers;
static_assert(board_planes == 2 * planes_a_side);

/// The hand types in the order of dlshogi, with the largest count of each.
struct HandPiece {
    PieceType type;
    std::size_t limit;
};
constexpr std::array<HandPiece, num_hand_types> hand_pieces = {
    {{pawn, 8}, {lance, 4}, {knight, 4}, {silver, 4}, {gold, 4}, {bishop, 2}, {rook, 2}}};
constexpr std::size_t planes_a_hand = 28;
static_assert(hand_planes == 2 * planes_a_hand + 1);

/// Directions of moves as the side to move sees them: files grow to the left, ranks downwards.
struct Direction {
    int file;
    int rank;
};
constexpr std::array<Direction, 10> directions = {
    {{0, -1}, {1, -1}, {-1, -1}, {1, 0}, {-1, 0}, {0, 1}, {1, 1}, {-1, 1}, {1, -2}, {-1, -2}}};
constexpr std::size_t first_jump = 8;
constexpr std::size_t first_drop = 2 * directions.size();

/// A square as the side to move sees it. The function is its own inverse.
constexpr Square seen(Color us, Square s) { return us == black ? s : num_squares - 1 - s; }

void mark(float* plane, Bitboard squares, Color us) {
    for_each(squares, [&](Square s) { plane[seen(us, s)] = 1.0f; });
}

/// One side's pieces and attacks.
void encode_side(const Board& board, Color side, Color us, float* planes) {
    const Bitboard occupied = board.occupied();
    std::array<Bitboard, max_attackers> attacked_by{};  // at least one, two, three pieces
    for (int type = 0; type < num_piece_types; ++type) {
        const Bitboard pieces = board.colors[side] & board.types[type];
        if (!pieces) continue;
        Bitboard reach;
        for_each(pieces, [&](Square s) {
            const Bitboard here = attacks(side, type, s, occupied);
            attacked_by[2] |= attacked_by[1] & here;
            attacked_by[1] |= attacked_by[0] & here;
            attacked_by[0] |= here;
            reach |= here;
        });
        mark(planes + type * plane_size, pieces, us);
        mark(planes + (num_piece_types + type) * plane_size, reach, us);
    }
    for (std::size_t i = 0; i < max_attackers; ++i) {
        mark(planes + (2 * num_piece_types + i) * plane_size, attacked_by[i], us);
    }
}

void encode_hand(const Board& board, Color side, float* planes) {
    for (const auto [type, limit] : hand_pieces) {
        const std::size_t count = std::min<std::size_t>(board.hands[side][type], limit);
        std::fill_n(planes, count * plane_size, 1.0f);
        planes += limit * plane_size;
    }
}

constexpr int sign(int n) { return (n > 0) - (n < 0); }

/// The direction from one square to another, both as the side to move sees them.
std::size_t direction(Square from, Square to) {
    const int file = file_of(to) - file_of(from), rank = rank_of(to) - rank_of(from);
    if (rank == -2 && (file == 1 || file == -1)) return file == 1 ? first_jump : first_jump + 1;
    const auto* direction =
        std::find_if(directions.begin(), directions.begin() + first_jump,
                     [&](Direction d) { return d.file == sign(file) && d.rank == sign(rank); });
    return static_cast<std::size_t>(direction - directions.begin());
}

/// The nearest piece from which a move in the direction reaches `to`: adjacent, on a line, or a knight's jump
/// away. Squares are as the side to move sees them.
std::optional<Square> arrives_from(const Board& board, std::size_t index, Square to) {
    const auto [file_step, rank_step] = directions[index];
    int file = file_of(to) - file_step, rank = rank_of(to) - rank_step;
    for (; file >= 0 && file < 9 && rank >= 0 && rank < 9; file -= file_step, rank -= rank_step) {
        const Square from = file * 9 + rank;
        if (board.occupied().has(seen(board.side(), from))) return from;
        if (index >= first_jump) break;
    }
    return {};
}

}  // namespace

void encode(const Board& board, float* pieces, float* hands) {
    const Color us = board.side();
    encode_side(board, us, us, pieces);
    encode_side(board, ~us, us, pieces + planes_a_side * plane_size);
    encode_hand(board, us, hands);
    encode_hand(board, ~us, hands + planes_a_hand * plane_size);
    if (board.in_check()) std::fill_n(hands + 2 * planes_a_hand * plane_size, plane_size, 1.0f);
}

std::optional<std::size_t> label(const Board& board, Move m) {
    if (m == declare_win) return {};
    const Square to = seen(board.side(), to_square(m));
    std::size_t plane = 0;
    if (is_drop(m)) {
        plane = first_drop + static_cast<std::size_t>(origin(m) - drop_origin);
    } else {
        plane = direction(seen(board.side(), origin(m)), to) + (m & promoting ? directions.size() : 0);
    }
    return plane * plane_size + static_cast<std::size_t>(to);
}

std::optional<Move> move(const Board& board, std::size_t label) {
    if (label >= labels) return {};
    const Color us = board.side();
    const auto to = static_cast<Square>(label % plane_size);
    const std::size_t plane = label / plane_size;
    if (plane >= first_drop) {
        const int type = static_cast<int>(plane - first_drop);
        if (!board.hands[us][type]) return {};
        return make_drop(type, seen(us, to));
    }
    const auto from = arrives_from(board, plane % directions.size(), to);
    if (!from || !board.colors[us].has(seen(us, *from))) return {};
    const Move m = make_move(seen(us, *from), seen(us, to));
    return plane < directions.size() ? m : static_cast<Move>(m | promoting);
}

}  // namespace sparring::shogi::dlshogi
