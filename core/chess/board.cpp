#include "chess/board.hpp"

#include <algorithm>
#include <cstdlib>

#include "game/errors.hpp"
#include "game/random.hpp"
#include "game/text.hpp"

namespace sparring::chess {

namespace {

constexpr std::string_view symbols = "PNBRQKpnbrqk";
constexpr std::string_view promotion_symbols = " nbrq";

struct Zobrist {
    std::uint64_t piece[2][6][64];
    std::uint64_t castling[16];
    std::uint64_t en_passant[64];
    std::uint64_t black_to_move;
};

constexpr Zobrist make_zobrist() {
    Zobrist z{};
    Random random(0xC4E55);
    fill(z.piece, random);
    fill(z.castling, random);
    z.castling[0] = 0;
    fill(z.en_passant, random);
    fill(z.black_to_move, random);
    return z;
}

constexpr Zobrist zobrist = make_zobrist();

/// The castling rights that survive a move from or to the square.
constexpr std::array<std::uint8_t, 64> make_castling_kept() {
    std::array<std::uint8_t, 64> kept{};
    kept.fill(15);
    kept[0] = 15 & ~white_long;
    kept[7] = 15 & ~white_short;
    kept[4] = 15 & ~(white_short | white_long);
    kept[56] = 15 & ~black_long;
    kept[63] = 15 & ~black_short;
    kept[60] = 15 & ~(black_short | black_long);
    return kept;
}

constexpr std::array<std::uint8_t, 64> castling_kept = make_castling_kept();

void parse_placement(Board& board, std::string_view text) {
    int rank = 7, file = 0;
    bool digit_before = false;
    for (const char c : text) {
        if (c == '/') {
            if (file != 8 || rank == 0)
                throw ParseError("FEN: a rank does not have 8 squares in " + quoted(text));
            --rank;
            file = 0;
            digit_before = false;
        } else if (c >= '1' && c <= '8') {
            if (digit_before) throw ParseError("FEN: two digits in a row in " + quoted(text));
            file += c - '0';
            digit_before = true;
        } else {
            const auto symbol = symbols.find(c);
            if (symbol == std::string_view::npos) {
                throw ParseError("FEN: unknown piece " + quoted(std::string_view(&c, 1)) + " in " +
                                 quoted(text));
            }
            if (file >= 8) throw ParseError("FEN: a rank does not have 8 squares in " + quoted(text));
            const Bitboard square = bit(rank * 8 + file++);
            board.types[symbol % 6] |= square;
            board.colors[symbol / 6] |= square;
            digit_before = false;
        }
        if (file > 8) throw ParseError("FEN: a rank does not have 8 squares in " + quoted(text));
    }
    if (rank != 0 || file != 8) throw ParseError("FEN: not 8 ranks of 8 squares in " + quoted(text));
}

void check_counts(const Board& board) {
    for (const Color c : {white, black}) {
        const std::string name = c == white ? "White" : "Black";
        if (std::popcount(board.colors[c]) > 16)
            throw ParseError("FEN: " + name + " has more than 16 pieces");
        if (std::popcount(board.pieces(c, pawn)) > 8)
            throw ParseError("FEN: " + name + " has more than 8 pawns");
        if (std::popcount(board.pieces(c, king)) > 1)
            throw ParseError("FEN: " + name + " has more than one king");
    }
    if (board.types[pawn] & back_ranks) throw ParseError("FEN: a pawn stands on the first or last rank");
}

std::uint8_t parse_castling(const Board& board, std::string_view text) {
    std::uint8_t rights = 0;
    if (text == "-") return rights;
    constexpr std::string_view letters = "KQkq";
    for (const char c : text) {
        const auto i = letters.find(c);
        if (i == std::string_view::npos) {
            throw ParseError("FEN: castling rights " + quoted(text) +
                             " are not of KQkq or - (Chess960 is not supported)");
        }
        if (rights >> i & 1) throw ParseError("FEN: castling right given twice in " + quoted(text));
        rights |= static_cast<std::uint8_t>(1 << i);
    }
    for (const Color c : {white, black}) {
        const Bitboard home = c == white ? 0 : 56;
        const auto has = [&](PieceType t, int file) {
            return (board.pieces(c, t) >> (home + file) & 1) != 0;
        };
        const int shift = c == white ? 0 : 2;
        if (!has(king, 4) || !has(rook, 7)) rights &= static_cast<std::uint8_t>(~(white_short << shift));
        if (!has(king, 4) || !has(rook, 0)) rights &= static_cast<std::uint8_t>(~(white_long << shift));
    }
    return rights;
}

std::int8_t parse_en_passant(const Board& board, std::string_view text) {
    if (text == "-") return no_square;
    if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || (text[1] != '3' && text[1] != '6')) {
        throw ParseError("FEN: en passant square " + quoted(text) + " is not on the third or sixth rank");
    }
    const Square s = (text[1] - '1') * 8 + (text[0] - 'a');
    const Color mover = board.side();
    const int rank = mover == white ? 5 : 2;
    const Square pawn_square = mover == white ? s - 8 : s + 8;
    const Square origin = mover == white ? s + 8 : s - 8;
    const bool possible = rank_of(s) == rank && (board.pieces(~mover, pawn) & bit(pawn_square)) &&
                          !(board.occupied() & (bit(s) | bit(origin)));
    return possible ? static_cast<std::int8_t>(s) : no_square;
}

}  // namespace

std::string square_text(Square s) {
    return {static_cast<char>('a' + file_of(s)), static_cast<char>('1' + rank_of(s))};
}

std::string uci(Move m) {
    if (m == null_move) return "0000";
    std::string text = square_text(from_square(m)) + square_text(to_square(m));
    if (promotion(m) > pawn && promotion(m) < king) text += promotion_symbols[promotion(m)];
    return text;
}

Move parse_uci(std::string_view text) {
    if (text == "0000") return null_move;
    const auto square = [&](std::size_t i) -> Square {
        const char file = text[i], rank = text[i + 1];
        if (file < 'a' || file > 'h' || rank < '1' || rank > '8') return -1;
        return (rank - '1') * 8 + (file - 'a');
    };
    if (text.size() == 4 || text.size() == 5) {
        const Square from = square(0), to = square(2);
        std::size_t promoted = 0;
        if (text.size() == 5) promoted = promotion_symbols.find(text[4]);
        const bool suffix_ok = text.size() == 4 || (promoted != std::string_view::npos && promoted > 0);
        if (from >= 0 && to >= 0 && from != to && suffix_ok) {
            return make_move(from, to, static_cast<int>(promoted));
        }
    }
    throw ParseError(quoted(text) + " is not a move in UCI's form, such as e2e4 or e7e8q");
}

int Board::type_at(Square s) const {
    const Bitboard b = bit(s);
    for (int t = 0; t < 6; ++t) {
        if (types[t] & b) return t;
    }
    return no_piece;
}

char Board::symbol_at(Square s) const {
    const int type = type_at(s);
    if (type == no_piece) return 0;
    return symbols[static_cast<std::size_t>(type + (colors[black] & bit(s) ? 6 : 0))];
}

void Board::toggle(Color c, int type, Square s) {
    types[type] ^= bit(s);
    colors[c] ^= bit(s);
    key ^= zobrist.piece[c][type][s];
}

void Board::set_castling(std::uint8_t rights) {
    key ^= zobrist.castling[castling] ^ zobrist.castling[rights];
    castling = rights;
}

void Board::clear_en_passant() {
    if (en_passant == no_square) return;
    key ^= zobrist.en_passant[en_passant];
    en_passant = no_square;
}

void Board::apply(Move m) {
    const Square from = from_square(m), to = to_square(m);
    const Color us = side(), them = ~us;
    const int type = type_at(from);
    const bool captures_passing_pawn = type == pawn && to == en_passant && file_of(from) != file_of(to);
    clear_en_passant();
    ++halfmove_clock;

    if (colors[them] & bit(to)) {
        toggle(them, type_at(to), to);
        halfmove_clock = 0;
    } else if (captures_passing_pawn) {
        toggle(them, pawn, us == white ? to - 8 : to + 8);
    }
    toggle(us, type, from);
    toggle(us, promotion(m) ? promotion(m) : type, to);

    if (type == pawn) {
        halfmove_clock = 0;
        if (std::abs(to - from) == 16) {
            en_passant = static_cast<std::int8_t>((from + to) / 2);
            key ^= zobrist.en_passant[en_passant];
        }
    } else if (type == king && std::abs(file_of(to) - file_of(from)) == 2) {
        const bool is_short = to > from;
        toggle(us, rook, is_short ? to + 1 : to - 2);
        toggle(us, rook, is_short ? to - 1 : to + 1);
    }
    set_castling(castling & castling_kept[from] & castling_kept[to]);
    fullmove_number += us == black;
    turn = static_cast<std::uint8_t>(them);
    key ^= zobrist.black_to_move;
}

void Board::apply_null() {
    clear_en_passant();
    ++halfmove_clock;
    fullmove_number += turn == black;
    turn ^= 1;
    key ^= zobrist.black_to_move;
}

std::uint64_t Board::compute_key() const {
    std::uint64_t result = zobrist.castling[castling];
    for (const Color c : {white, black}) {
        for (int t = 0; t < 6; ++t) {
            for (Bitboard b = colors[c] & types[t]; b;) result ^= zobrist.piece[c][t][pop_lsb(b)];
        }
    }
    if (en_passant != no_square) result ^= zobrist.en_passant[en_passant];
    if (turn == black) result ^= zobrist.black_to_move;
    return result;
}

std::uint64_t Board::hash() const {
    return Random(key ^ (std::uint64_t{halfmove_clock} << 16 | fullmove_number)).next();
}

std::string Board::fen() const {
    std::string text;
    for (int rank = 7; rank >= 0; --rank) {
        int empty = 0;
        for (int file = 0; file < 8; ++file) {
            const char symbol = symbol_at(rank * 8 + file);
            if (!symbol) {
                ++empty;
                continue;
            }
            if (empty) text += static_cast<char>('0' + empty);
            empty = 0;
            text += symbol;
        }
        if (empty) text += static_cast<char>('0' + empty);
        if (rank) text += '/';
    }
    text += turn == white ? " w " : " b ";
    for (int i = 0; i < 4; ++i) {
        if (castling >> i & 1) text += "KQkq"[i];
    }
    if (!castling) text += '-';
    text += ' ' + (en_passant == no_square ? std::string("-") : square_text(en_passant));
    return text + ' ' + std::to_string(halfmove_clock) + ' ' + std::to_string(fullmove_number);
}

Board Board::parse(std::string_view fen) {
    const auto fields = split_words(fen);
    if (fields.size() < 4 || fields.size() > 6) {
        throw ParseError("FEN: 4 to 6 fields expected, got " + std::to_string(fields.size()) + " in " +
                         quoted(fen));
    }
    Board board;
    parse_placement(board, fields[0]);
    check_counts(board);
    if (fields[1] != "w" && fields[1] != "b")
        throw ParseError("FEN: side to move " + quoted(fields[1]) + " is not w or b");
    board.turn = fields[1] == "w" ? white : black;
    board.castling = parse_castling(board, fields[2]);
    board.en_passant = parse_en_passant(board, fields[3]);
    constexpr int longest_game = 9999;
    const auto counter = [&](std::size_t i, int otherwise) {
        if (i >= fields.size()) return otherwise;
        const auto value = parse_int(fields[i], longest_game);
        if (!value)
            throw ParseError("FEN: move counter " + quoted(fields[i]) + " is not a number below 10000");
        return *value;
    };
    board.halfmove_clock = static_cast<std::uint16_t>(counter(4, 0));
    board.fullmove_number = static_cast<std::uint16_t>(std::max(counter(5, 1), 1));
    board.key = board.compute_key();
    return board;
}

void encode(const Board& board, float* planes) {
    std::fill(planes, planes + board_planes * 64, 0.0f);
    const Color us = board.side();
    const int flip = us == white ? 0 : 56;
    for (const int owner : {0, 1}) {
        const Color c = owner == 0 ? us : ~us;
        for (int t = 0; t < 6; ++t) {
            for (Bitboard b = board.colors[c] & board.types[t]; b;) {
                planes[(owner * 6 + t) * 64 + (pop_lsb(b) ^ flip)] = 1.0f;
            }
        }
        for (const int wing : {0, 1}) {
            if (board.castling >> (c * 2 + wing) & 1) {
                float* plane = planes + (12 + owner * 2 + wing) * 64;
                std::fill(plane, plane + 64, 1.0f);
            }
        }
    }
    if (board.en_passant != no_square) planes[16 * 64 + (board.en_passant ^ flip)] = 1.0f;
    std::fill(planes + 17 * 64, planes + 18 * 64,
              std::min(static_cast<float>(board.halfmove_clock) / 100.0f, 1.0f));
}

}  // namespace sparring::chess
