#include "shogi/notation.hpp"

#include <algorithm>

#include "game/errors.hpp"
#include "game/text.hpp"

namespace sparring::shogi {

namespace {

constexpr std::string_view letters = "PLNSBRGK";  // by Kind
constexpr std::string_view type_names[] = {"pawn", "lance", "knight", "silver", "bishop", "rook", "gold"};
constexpr PieceType hand_order[] = {rook, bishop, gold, silver, knight, lance, pawn};  // as SFEN writes it

[[noreturn]] void fail(const std::string& what) { throw ParseError("SFEN: " + what); }

std::string name(Color c) { return c == black ? "Black" : "White"; }

char letter(Color c, int type) {
    const char upper = letters[static_cast<std::size_t>(type)];
    return c == black ? upper : static_cast<char>(upper - 'A' + 'a');
}

struct Letter {
    Color color;
    int type;
};

/// The colour and the kind that a letter stands for, among the first `types` kinds.
Letter read_letter(char c, std::size_t types, std::string_view text) {
    const bool lower = c >= 'a' && c <= 'z';
    const char upper = lower ? static_cast<char>(c - 'a' + 'A') : c;
    const auto type = letters.substr(0, types).find(upper);
    if (type == std::string_view::npos) {
        fail("unknown piece " + quoted(std::string_view(&c, 1)) + " in " + quoted(text));
    }
    return {lower ? white : black, static_cast<int>(type)};
}

void parse_placement(Board& board, std::string_view text) {
    int rank = 0, column = 0;
    bool digit_before = false, plus = false;
    const auto short_rank = [&] { fail("a rank does not have 9 squares in " + quoted(text)); };
    for (const char c : text) {
        if (plus && (c == '+' || c == '/' || (c >= '0' && c <= '9'))) {
            fail("no piece after + in " + quoted(text));
        }
        if (c == '+') {
            plus = true;
        } else if (c == '/') {
            if (column != 9 || rank == 8) short_rank();
            ++rank;
            column = 0;
            digit_before = false;
        } else if (c >= '1' && c <= '9') {
            if (digit_before) fail("two digits in a row in " + quoted(text));
            column += c - '0';
            digit_before = true;
        } else {
            const auto [color, type] = read_letter(c, letters.size(), text);
            if (plus && type >= gold) fail("a gold or a king cannot promote in " + quoted(text));
            if (column >= 9) short_rank();
            board.put(color, plus ? type + promotion : type, (8 - column++) * 9 + rank);
            digit_before = plus = false;
        }
        if (column > 9) short_rank();
    }
    if (plus) fail("no piece after + in " + quoted(text));
    if (rank != 8 || column != 9) fail("not 9 ranks of 9 squares in " + quoted(text));
}

void parse_hands(Board& board, std::string_view text) {
    if (text == "-") return;
    std::size_t i = 0;
    while (i < text.size()) {
        const std::size_t start = i;
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        const auto count = i == start ? 1 : parse_int(text.substr(start, i - start), full_set[pawn]);
        if (!count || *count == 0) fail("a count in the hands " + quoted(text) + " is not from 1 to 18");
        if (i == text.size()) fail("a count without a piece in the hands " + quoted(text));
        const auto [color, type] = read_letter(text[i++], num_hand_types, text);
        if (board.hands[color][type]) fail("a piece is given twice in the hands " + quoted(text));
        board.set_hand(color, type, *count);
    }
}

void check_pieces(const Board& b) {
    for (const Color c : {black, white}) {
        const int kings = count(b.colors[c] & b.types[king]);
        if (kings != 1) {
            fail(name(c) + " has " + (kings ? "more than one king" : "no king; both sides need one"));
        }
        for (const PieceType type : {pawn, lance, knight}) {
            if (b.colors[c] & b.types[type] & dead_end(c, type)) {
                fail("a " + std::string(type_names[type]) + " of " + name(c) + " could never move");
            }
        }
        for (int file = 0; file < 9; ++file) {
            if (several(b.colors[c] & b.types[pawn] & file_mask(file))) {
                fail(name(c) + " has two pawns on file " + std::to_string(file + 1));
            }
        }
    }
    for (int type = 0; type < num_hand_types; ++type) {
        int total = count(b.types[type]) + b.hands[black][type] + b.hands[white][type];
        if (type < gold) total += count(b.types[type + promotion]);
        if (total > full_set[type]) {
            fail("there are " + std::to_string(total) + " " + std::string(type_names[type]) +
                 "s; a set has " + std::to_string(full_set[type]));
        }
    }
}

std::string placement(const Board& board) {
    std::string text;
    for (int rank = 0; rank < 9; ++rank) {
        int empty = 0;
        const auto flush = [&] {
            if (empty) text += static_cast<char>('0' + empty);
            empty = 0;
        };
        if (rank) text += '/';
        for (int file = 8; file >= 0; --file) {
            const Square s = file * 9 + rank;
            const int type = board.squares[s];
            if (type == no_piece) {
                ++empty;
                continue;
            }
            flush();
            if (type >= promotion) text += '+';
            text += letter(board.colors[white].has(s) ? white : black, unpromoted(type));
        }
        flush();
    }
    return text;
}

std::string hands(const Board& board) {
    std::string text;
    for (const Color c : {black, white}) {
        for (const PieceType type : hand_order) {
            const int count = board.hands[c][type];
            if (count > 1) text += std::to_string(count);
            if (count) text += letter(c, type);
        }
    }
    return text.empty() ? "-" : text;
}

std::string square_text(Square s) {
    return {static_cast<char>('1' + file_of(s)), static_cast<char>('a' + rank_of(s))};
}

}  // namespace

std::string usi(Move m) {
    if (m == declare_win) return "win";
    const int from = origin(m);
    const bool promotes = (m & promoting) != 0;
    const int origins = promotes ? drop_origin : drop_origin + num_hand_types;
    if (to_square(m) >= num_squares || from >= origins || m >= 2 * promoting) {
        return "code " + std::to_string(m);
    }
    const std::string to = square_text(to_square(m));
    if (is_drop(m)) return std::string{letter(black, from - drop_origin), '*'} + to;
    return square_text(from) + to + (promotes ? "+" : "");
}

Move parse_usi(std::string_view text) {
    if (text == "win") return declare_win;
    const auto square = [&](std::size_t i) -> Square {
        const char file = text[i], rank = text[i + 1];
        if (file < '1' || file > '9' || rank < 'a' || rank > 'i') return -1;
        return (file - '1') * 9 + (rank - 'a');
    };
    const bool plus = text.size() == 5 && text[4] == '+';
    if (text.size() == 4 || plus) {
        const Square to = square(2);
        if (text[1] == '*' && !plus) {
            const auto type = letters.substr(0, num_hand_types).find(text[0]);
            if (type != std::string_view::npos && to >= 0) return make_drop(static_cast<int>(type), to);
        } else if (const Square from = square(0); from >= 0 && to >= 0 && from != to) {
            return static_cast<Move>(make_move(from, to) | (plus ? promoting : 0));
        }
    }
    throw ParseError(quoted(text) + " is not a move in USI's form, such as 7g7f, 8h2b+, P*5e or win");
}

std::string sfen(const Board& board) {
    return placement(board) + (board.turn == black ? " b " : " w ") + hands(board) + ' ' +
           std::to_string(board.number) + (board.declared ? " win" : "");
}

Board parse_sfen(std::string_view text) {
    auto fields = split_words(text);
    Board board;
    if (!fields.empty() && fields.back() == "win") {
        board.declared = true;
        fields.pop_back();
    }
    if (fields.size() != 3 && fields.size() != 4) {
        fail("board, side to move, hands and move number expected in " + quoted(text));
    }
    parse_placement(board, fields[0]);
    if (fields[1] != "b" && fields[1] != "w") fail("side to move " + quoted(fields[1]) + " is not b or w");
    board.turn = fields[1] == "b" ? black : white;
    parse_hands(board, fields[2]);
    check_pieces(board);
    if (fields.size() == 4) {
        const auto value = parse_int(fields[3], max_move_number);
        if (!value) fail("move number " + quoted(fields[3]) + " is not a number below 10000");
        board.number = static_cast<std::uint16_t>(std::max(*value, 1));
    }
    const Color mover = board.side();
    if (board.attackers(board.king_of(~mover), mover, board.occupied())) {
        fail("the side that just moved is in check in " + quoted(text));
    }
    if (board.declared && !board.meets_declaration_rule(~mover)) {
        fail("the side that just moved could not declare a win in " + quoted(text));
    }
    board.key = board.compute_key();
    return board;
}

}  // namespace sparring::shogi
