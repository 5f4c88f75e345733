#include "expendibots/notation.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "game/errors.hpp"
#include "game/text.hpp"

namespace sparring::expendibots {

namespace {

std::string square_text(Square s) {
    return {static_cast<char>('a' + x_of(s)), static_cast<char>('1' + y_of(s))};
}

std::optional<Square> parse_square(std::string_view text) {
    if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') return {};
    return square(text[0] - 'a', text[1] - '1');
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The letter of a stack of the side whose letters begin with `first`: its height, or 0 for another's.
int height_of(char letter, char first) {
    return letter >= first && letter < first + max_tokens ? letter - first + 1 : 0;
}

void parse_stacks(Board& board, std::string_view text) {
    const auto bad_row = [&](int y) {
        return ParseError("position: the row y = " + std::to_string(y) + " does not have 8 squares in " +
                          quoted(text));
    };
    int x = 0, y = 7;
    bool digit_before = false;
    for (const char c : text) {
        if (c == '/') {
            if (x != 8) throw bad_row(y);
            if (y == 0) throw ParseError("position: more than 8 rows in " + quoted(text));
            x = 0;
            --y;
            digit_before = false;
            continue;
        }
        const bool digit = c >= '1' && c <= '8';
        const int width = digit ? c - '0' : 1;
        if (digit && digit_before) throw ParseError("position: two digits in a row in " + quoted(text));
        if (x + width > 8) throw bad_row(y);
        if (!digit) {
            const int white_height = height_of(c, 'A'), black_height = height_of(c, 'a');
            if (!white_height && !black_height) {
                throw ParseError("position: " + quoted(std::string_view(&c, 1)) +
                                 " is not a stack (A to L, a to l), an empty run (1 to 8) or / in " +
                                 quoted(text));
            }
            board.set_height(white_height ? white : black, square(x, y), white_height + black_height);
        }
        x += width;
        digit_before = digit;
    }
    if (x != 8) throw bad_row(y);
    if (y != 0) throw ParseError("position: fewer than 8 rows in " + quoted(text));
}

/// The words of an action as the referee writes it, in lower case and without what is only for the
/// eye: brackets, commas, quotes, full stops, and the words from, to and at.
std::vector<std::string> plain_words(std::string_view text) {
    constexpr std::string_view ornaments = "(),.'\"";
    std::string plain(text);
    for (char& c : plain) c = ornaments.find(c) == std::string_view::npos ? lower(c) : ' ';
    std::vector<std::string> result;
    for (const std::string_view word : split_words(plain)) {
        if (word != "from" && word != "to" && word != "at") result.emplace_back(word);
    }
    return result;
}

/// The square that a word names (c1) or two words do (2 0), from the word at `i` on, which moves past it.
std::optional<Square> take_square(const std::vector<std::string>& from, std::size_t& i) {
    if (i < from.size()) {
        if (const auto named = parse_square(from[i])) {
            ++i;
            return named;
        }
    }
    if (i + 1 >= from.size()) return {};
    const auto x = parse_int(from[i], 7), y = parse_int(from[i + 1], 7);
    if (!x || !y) return {};
    i += 2;
    return square(*x, *y);
}

/// A MOVE whose form is right, if there is a code for it.
std::optional<Move> make_move(Square from, Square to, int tokens) {
    const bool straight = (x_of(from) == x_of(to)) != (y_of(from) == y_of(to));
    if (!straight || tokens < 1 || tokens > max_tokens) return {};
    return move(from, to, tokens);
}

/// `boom c1`, `BOOM at (2, 0).` and `MOVE 2 from (2, 0) to (2, 2).`
std::optional<Move> parse_spelled_out(const std::vector<std::string>& parts) {
    if (parts.empty()) return {};
    std::size_t i = 1;
    if (parts[0] == "boom") {
        const auto s = take_square(parts, i);
        return s && i == parts.size() ? std::optional(boom(*s)) : std::nullopt;
    }
    if (parts[0] != "move" || parts.size() < 2) return {};
    const auto tokens = parse_int(parts[i++], max_tokens);
    const auto from = take_square(parts, i);
    const auto to = take_square(parts, i);
    if (!tokens || !from || !to || i != parts.size()) return {};
    return make_move(*from, *to, *tokens);
}

/// `2c1-c3` and `c1-c3`.
std::optional<Move> parse_short(const Board& board, std::string_view text) {
    constexpr std::size_t squares = 5;
    if (text.size() < squares || text[text.size() - 3] != '-') return {};
    const std::string_view count = text.substr(0, text.size() - squares);
    const auto from = parse_square(text.substr(count.size(), 2)),
               to = parse_square(text.substr(text.size() - 2));
    if (!from || !to) return {};
    const auto tokens = count.empty() ? std::max(board.height(*from), 1) : parse_int(count, max_tokens);
    return tokens ? make_move(*from, *to, *tokens) : std::nullopt;
}

}  // namespace

std::string position_text(const Board& board) {
    std::string text;
    for (int y = 7; y >= 0; --y) {
        int empty = 0;
        for (int x = 0; x < 8; ++x) {
            const Square s = square(x, y);
            const int height = board.height(s);
            if (height == 0) {
                ++empty;
                continue;
            }
            if (empty) text += static_cast<char>('0' + empty);
            empty = 0;
            text += static_cast<char>((board.colors[white] & bit(s) ? 'A' : 'a') + height - 1);
        }
        if (empty) text += static_cast<char>('0' + empty);
        if (y) text += '/';
    }
    return text + (board.turn == white ? " w " : " b ") + std::to_string(board.actions);
}

Board parse_position(std::string_view text) {
    const auto fields = split_words(text);
    if (fields.size() != 2 && fields.size() != 3) {
        throw ParseError("position: stacks, side to move and the number of actions expected, got " +
                         std::to_string(fields.size()) + " fields in " + quoted(text));
    }
    Board board;
    parse_stacks(board, fields[0]);
    for (const Color c : {white, black}) {
        const int tokens = board.tokens(board.colors[c]);
        if (tokens > max_tokens) {
            throw ParseError("position: " + std::string(c == white ? "White" : "Black") + " has " +
                             std::to_string(tokens) + " tokens, at most 12 expected, in " + quoted(text));
        }
    }
    if (fields[1] != "w" && fields[1] != "b") {
        throw ParseError("position: side to move " + quoted(fields[1]) + " is not w or b");
    }
    board.set_turn(fields[1] == "w" ? white : black);
    if (fields.size() == 3) {
        const auto actions = parse_int(fields[2], action_limit);
        if (!actions)
            throw ParseError("position: actions " + quoted(fields[2]) + " are not a number from 0 to 500");
        board.actions = static_cast<std::uint16_t>(*actions);
    }
    return board;
}

std::string action_text(Move code) {
    if (!is_action(code)) return '#' + std::to_string(code);
    const Action action = decode(code);
    if (action.is_boom()) return "boom " + square_text(action.from);
    return std::to_string(action.tokens) + square_text(action.from) + "-" + square_text(action.to);
}

Move parse_action(const Board& board, std::string_view text) {
    const auto parts = plain_words(text);
    auto code = parse_spelled_out(parts);
    if (!code && parts.size() == 1) code = parse_short(board, parts[0]);
    if (code) return *code;
    throw ParseError(quoted(text) +
                     " is not an action, such as boom c1 or 2c1-c3 (1 to 12 tokens along a row or column)");
}

}  // namespace sparring::expendibots
