#include "chess/lc0.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sparring::chess::lc0 {

namespace {

/// The squares as the side to move sees them: ranks mirrored for Black.
Bitboard seen_by(Color mover, Bitboard b) {
    if (mover == white) return b;
    b = (b >> 8 & 0x00FF00FF00FF00FFULL) | (b & 0x00FF00FF00FF00FFULL) << 8;
    b = (b >> 16 & 0x0000FFFF0000FFFFULL) | (b & 0x0000FFFF0000FFFFULL) << 16;
    return b >> 32 | b << 32;
}

Square seen_by(Color mover, Square s) { return mover == white ? s : s ^ 56; }

/// For each set of squares of a rank, its eight bytes of 0 and 1.
struct RankBytes {
    std::array<std::array<std::uint8_t, 8>, 256> of{};

    constexpr RankBytes() {
        for (std::size_t rank = 0; rank < 256; ++rank) {
            for (std::size_t file = 0; file < 8; ++file)
                of[rank][file] = static_cast<std::uint8_t>(rank >> file & 1);
        }
    }
};
constexpr RankBytes rank_bytes;

void write_squares(Bitboard b, std::uint8_t* plane) {
    for (int rank = 0; rank < 8; ++rank) {
        std::memcpy(plane + 8 * rank, rank_bytes.of[b >> 8 * rank & 0xFF].data(), 8);
    }
}

void fill(std::uint8_t* plane, int value) { std::memset(plane, value, squares); }

/// The en passant square as Lc0 sets it: if an enemy pawn stands beside the pawn, even if the capture is
/// illegal. At the start of a line, the square of the FEN.
Square lc0_en_passant(const Node<Position>& node) {
    const Board& board = node.position.board();
    if (!node.previous) return node.position.fen_en_passant();
    const Square from = from_square(node.move), to = to_square(node.move);
    if (std::abs(from - to) != 16 || board.type_at(to) != pawn) return no_square;
    const Square jumped = (from + to) / 2;
    const Color mover = board.side();
    return pawn_attacks(~mover, jumped) & board.pieces(mover, pawn) ? jumped : no_square;
}

/// Whether Lc0 considers two positions of a line equal.
bool same(const Node<Position>& a, const Node<Position>& b) {
    return a.position.key() == b.position.key() && lc0_en_passant(a) == lc0_en_passant(b);
}

/// Whether the position is a repetition as Lc0 finds it: in steps of two plies, back to the last irreversible
/// move.
bool repeated(const Node<Position>& node) {
    if (node.position.board().halfmove_clock < 4) return false;
    const Node<Position>* earlier = &node;
    while (earlier->previous && earlier->previous->previous) {
        earlier = earlier->previous->previous.get();
        if (same(*earlier, node)) return true;
        if (earlier->position.board().halfmove_clock < 2) return false;
    }
    return false;
}

/// Writes the pieces of a board, own first, to `board_planes - 1` planes.
void write_pieces(const Board& board, Color mover, std::uint8_t* out) {
    for (const Color owner : {mover, ~mover}) {
        for (const PieceType type : {pawn, knight, bishop, rook, queen, king}) {
            write_squares(seen_by(mover, board.pieces(owner, type)), out);
            out += squares;
        }
    }
}

void write_board(const Node<Position>& node, Color mover, std::uint8_t* out) {
    write_pieces(node.position.board(), mover, out);
    fill(out + (board_planes - 1) * squares, repeated(node));
}

/// The start of a line with the double step of its en passant square taken back.
Board before_double_step(const Position& start) {
    Board board = start.board();
    const Square jumped = start.fen_en_passant();
    if (jumped == no_square) return board;
    const Color jumper = ~board.side();
    const int step = jumper == white ? 8 : -8;
    const Bitboard moved = bit(jumped - step) | bit(jumped + step);
    board.types[pawn] ^= moved;
    board.colors[jumper] ^= moved;
    return board;
}

bool is_initial(const Board& board) {
    static const Board initial = Position().board();
    return board.types == initial.types && board.colors == initial.colors && board.turn == initial.turn &&
           board.castling == initial.castling;
}

/// Writes the boards before the start of the line.
void write_missing(const Position& start, int missing, Color mover, std::uint8_t* out) {
    const std::size_t size = static_cast<std::size_t>(missing) * board_planes * squares;
    if (missing == 0 || is_initial(start.board())) {
        std::memset(out, 0, size);
        return;
    }
    constexpr std::size_t one = board_planes * squares;
    write_pieces(before_double_step(start), mover, out);
    fill(out + one - squares, 0);
    for (std::size_t done = one; done < size; done += one) std::memcpy(out + done, out, one);
}

void write_rights(const Board& board, std::uint8_t* out) {
    const auto rights = [&](int white_right, int black_right, Color of) {
        fill(out, (board.castling & (of == white ? white_right : black_right)) != 0);
        out += squares;
    };
    for (const Color of : {board.side(), ~board.side()}) {
        rights(white_long, black_long, of);
        rights(white_short, black_short, of);
    }
    fill(out, board.side() == black);
    fill(out + squares, std::min<int>(board.halfmove_clock, 255));
    fill(out + 2 * squares, 0);
    fill(out + 3 * squares, 1);
}

constexpr int plain_moves = 1792;  // the entries before the promotions
constexpr std::array<PieceType, 3> named_promotions = {queen, rook, bishop};

/// Promotions go from each file of the seventh rank to up to three files of the eighth.
constexpr int promotion_index(int from_file, int to_file, int kind) {
    return plain_moves + 3 * (2 * from_file + to_file) + kind;
}

struct PolicyTables {
    std::array<PolicyMove, policy_size> moves{};
    std::array<std::array<std::int16_t, 64>, 64> index{};  // of plain moves, by from and to

    PolicyTables() {
        int next = 0;
        for (Square from = 0; from < squares; ++from) {
            const Bitboard reach = rook_attacks(from, 0) | bishop_attacks(from, 0) | knight_attacks(from);
            for (Bitboard targets = reach; targets;) {
                const Square to = pop_lsb(targets);
                index[from][to] = static_cast<std::int16_t>(next);
                moves[next++] = {static_cast<std::int8_t>(from), static_cast<std::int8_t>(to), 0};
            }
        }
        for (int from = 0; from < 8; ++from) {
            for (int to = std::max(from - 1, 0); to <= std::min(from + 1, 7); ++to) {
                for (int kind = 0; kind < 3; ++kind) {
                    moves[promotion_index(from, to, kind)] = {
                        static_cast<std::int8_t>(48 + from), static_cast<std::int8_t>(56 + to),
                        static_cast<std::int8_t>(named_promotions[static_cast<std::size_t>(kind)])};
                }
            }
        }
    }
};

const PolicyTables& tables() {
    static const PolicyTables made;
    return made;
}

}  // namespace

void encode(const Node<Position>& node, std::uint8_t* out) {
    const Board& board = node.position.board();
    const Color mover = board.side();
    const Node<Position>* past = &node;
    for (int i = 0; i < boards; ++i, past = past->previous.get()) {
        write_board(*past, mover, out);
        out += board_planes * squares;
        if (!past->previous) {
            const int missing = boards - 1 - i;
            write_missing(past->position, missing, mover, out);
            out += missing * board_planes * squares;
            break;
        }
    }
    write_rights(board, out);
}

const std::array<PolicyMove, policy_size>& policy_moves() { return tables().moves; }

int policy_index(const Board& board, Move move) {
    const Color mover = board.side();
    const Square from = seen_by(mover, from_square(move));
    Square to = seen_by(mover, to_square(move));
    switch (promotion(move)) {
        case queen: return promotion_index(file_of(from), file_of(to), 0);
        case rook: return promotion_index(file_of(from), file_of(to), 1);
        case bishop: return promotion_index(file_of(from), file_of(to), 2);
        default: break;
    }
    const bool castles =
        board.castling && std::abs(from - to) == 2 && board.type_at(from_square(move)) == king;
    if (castles) to = to > from ? 7 : 0;
    return tables().index[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

}  // namespace sparring::chess::lc0
