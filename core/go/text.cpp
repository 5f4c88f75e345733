// Go positions and moves as text. src/sparring/go/game.py describes the format.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "game/errors.hpp"
#include "game/text.hpp"
#include "go/position.hpp"

namespace sparring::go {

namespace {

constexpr std::string_view symbols = "XO";
constexpr int usual_fields = 7;
constexpr int max_rules = 4;

[[noreturn]] void bad(const std::string& what) { throw ParseError("Go position: " + what); }

/// Parses a row of stones. Runs of empty points are numbers without leading zeros.
void parse_row(std::string_view row, int size, Color* out) {
    int x = 0;
    for (std::size_t i = 0; i < row.size();) {
        const auto color = symbols.find(row[i]);
        if (color != std::string_view::npos) {
            if (x < size) out[x] = static_cast<Color>(color);
            ++x;
            ++i;
        } else {
            std::size_t end = i;
            while (end < row.size() && row[end] >= '0' && row[end] <= '9') ++end;
            if (end == i) bad("a row has X, O and numbers only, not " + quoted(row.substr(i, 1)));
            const auto run = parse_int(row.substr(i, end - i), size);
            if (!run || row[i] == '0') {
                bad("run " + quoted(row.substr(i, end - i)) + " is not from 1 to " + std::to_string(size));
            }
            x += *run;
            i = end;
        }
        if (x > size) break;
    }
    if (x != size) bad("row " + quoted(row) + " does not have " + std::to_string(size) + " points");
}

Board parse_rows(std::string_view text) {
    std::vector<std::string_view> rows;
    for (std::size_t start = 0; start <= text.size() && rows.size() <= max_board_size;) {
        const std::size_t end = std::min(text.find('/', start), text.size());
        rows.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    const int size = static_cast<int>(rows.size());
    if (size < min_board_size || size > max_board_size) {
        bad(std::to_string(min_board_size) + " to " + std::to_string(max_board_size) + " rows expected in " +
            quoted(text));
    }
    std::array<Color, max_points> stones;
    stones.fill(empty);
    for (int row = 0; row < size; ++row) {
        parse_row(rows[static_cast<std::size_t>(row)], size, stones.data() + (size - 1 - row) * size);
    }
    Board board(size);
    if (!board.set_up(stones)) bad("a chain has no liberty in " + quoted(text));
    return board;
}

std::int16_t parse_komi(std::string_view text) {
    std::string_view digits = text;
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    int half = 0;
    if (const auto dot = digits.find('.'); dot != std::string_view::npos) {
        const std::string_view fraction = digits.substr(dot + 1);
        if (fraction != "5" && fraction != "0") bad("komi " + quoted(text) + " is not a multiple of 0.5");
        half = fraction == "5";
        digits = digits.substr(0, dot);
    }
    const auto whole = parse_int(digits, max_komi);
    if (!whole) bad("komi " + quoted(text) + " is not a number up to " + std::to_string(max_komi));
    const int halves = 2 * *whole + half;
    return komi_halves((negative ? -halves : halves) / 2.0);
}

std::string komi_text(int halves) {
    const int size = std::abs(halves);
    std::string text(halves < 0 ? "-" : "");
    text += std::to_string(size / 2);
    return text += size % 2 ? ".5" : "";
}

/// Parses the optional words after komi, each at most once.
void parse_rule(std::string_view word, Rules& rules) {
    if (word == "suicide" && !rules.suicide) {
        rules.suicide = true;
    } else if (word == "territory" && rules.scoring == ScoringRule::area) {
        rules.scoring = ScoringRule::territory;
    } else if ((word == "simple" || word == "situational") && rules.ko == KoRule::positional) {
        rules.ko = parse_ko(word);
    } else if ((word == "tax-seki" || word == "tax-all") && rules.tax == TaxRule::none) {
        rules.tax = parse_tax(word.substr(4));
    } else {
        bad("rule " + quoted(word) +
            " is not one of simple or situational, suicide, territory and tax-seki or tax-all, or given "
            "twice");
    }
}

/// Whether the point can be the ko point of the player to move.
bool is_ko(const Board& board, Color mover, Point p) {
    if (board.at(p) != empty) return false;
    int takers = 0;
    for (const Point n : board.neighbours(p)) {
        const Color there = board.at(n);
        if (there == wall) continue;
        if (there != ~mover) return false;
        if (board.liberties(n) > 1) continue;
        if (board.chain_size(n) > 1) return false;
        ++takers;
    }
    return takers == 1;
}

int parse_count(std::string_view text, int most, const std::string& what) {
    const auto count = parse_int(text, most);
    if (!count) bad(what + " " + quoted(text) + " is not a number up to " + std::to_string(most));
    return *count;
}

}  // namespace

Position Position::parse(std::string_view text) {
    const auto fields = split_words(text);
    if (fields.size() < usual_fields || fields.size() > usual_fields + max_rules) {
        bad("rows, side, ko, prisoners of Black and of White, passes, komi and up to " +
            std::to_string(max_rules) + " rules expected, got " + std::to_string(fields.size()) +
            " fields in " + quoted(text));
    }
    const Board board = parse_rows(fields[0]);
    Rules rules;
    rules.komi = parse_komi(fields[6]);
    for (std::size_t i = usual_fields; i < fields.size(); ++i) parse_rule(fields[i], rules);
    Position position(board.size(), rules, 0);
    position.board_ = board;

    if (fields[1] != "b" && fields[1] != "w") bad("side to move " + quoted(fields[1]) + " is not b or w");
    position.side_ = fields[1] == "b" ? black : white;
    position.prisoners_ = {parse_count(fields[3], max_prisoners, "prisoners"),
                           parse_count(fields[4], max_prisoners, "prisoners")};
    position.passes_ = static_cast<std::uint8_t>(parse_count(fields[5], 2, "passes"));
    if (fields[2] != "-") {
        position.ko_ = parse_point(fields[2], board.size());
        if (position.passes_ > 0 || !is_ko(board, position.side_, position.ko_)) {
            bad("no stone can just have been taken on the ko point " + quoted(fields[2]) + " in " +
                quoted(text));
        }
    }
    return position;
}

std::string Position::text() const {
    std::string line;
    for (int y = size() - 1; y >= 0; --y) {
        int run = 0;
        const auto end_run = [&] {
            if (run > 0) line += std::to_string(run);
            run = 0;
        };
        for (int x = 0; x < size(); ++x) {
            const Color there = board_.at(static_cast<Point>(y * size() + x));
            if (there == empty) {
                ++run;
            } else {
                end_run();
                line += symbols[there];
            }
        }
        end_run();
        line += y > 0 ? '/' : ' ';
    }
    line += side_ == black ? "b " : "w ";
    line += ko_ == no_point ? "-" : point_text(ko_, size());
    line += ' ' + std::to_string(prisoners_[black]) + ' ' + std::to_string(prisoners_[white]);
    line += ' ' + std::to_string(passes_) + ' ' + komi_text(rules_.komi);
    if (rules_.ko != KoRule::positional) line += std::string(" ") + name(rules_.ko);
    if (rules_.suicide) line += " suicide";
    if (rules_.scoring != ScoringRule::area) line += std::string(" ") + name(rules_.scoring);
    if (rules_.tax != TaxRule::none) line += std::string(" tax-") + name(rules_.tax);
    return line;
}

Move Position::parse_move(std::string_view text) const {
    std::string lower;
    for (const char c : text.substr(0, 5))
        lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower == "pass" ? pass() : parse_point(text, size());
}

std::string Position::move_text(Move m) const {
    if (m == pass()) return "pass";
    return m < pass() ? point_text(m, size()) : "move " + std::to_string(m);
}

}  // namespace sparring::go
