#include "records/pgn.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "chess/san.hpp"
#include "game/errors.hpp"
#include "game/text.hpp"

namespace sparring::records {

namespace {

constexpr std::size_t longest_tag = 1000;
constexpr std::size_t longest_word = 40;
constexpr std::size_t longest_command = 60;
constexpr std::size_t most_tags = 100;
constexpr std::size_t most_plies = 20'000;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Letters, digits and what else stands in moves: never the end of a word, whatever comes before.
bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= '9') || c == '+' ||
           c == '#' || c == '=';
}

bool is_result(std::string_view word) {
    return word == "1-0" || word == "0-1" || word == "1/2-1/2" || word == "*";
}

/// A word without the move number before it: 12.Nf3 and 12...Nf6 lose theirs, 12. becomes nothing.
std::string_view without_number(std::string_view word) {
    const auto dot = std::min(word.find_first_not_of("0123456789"), word.size());
    const auto move = std::min(word.find_first_not_of('.', dot), word.size());
    return move > dot || dot == word.size() ? word.substr(move) : word;
}

/// h:mm:ss with optional fractions, or less of it, in tenths of a second.
std::int32_t parse_clock(std::string_view text) {
    double seconds = 0;
    while (!text.empty()) {
        const auto colon = std::min(text.find(':'), text.size());
        double part = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + colon, part);
        if (error != std::errc() || end != text.data() + colon || part < 0 || part > 1e6) return no_clock;
        seconds = seconds * 60 + part;
        text.remove_prefix(std::min(colon + 1, text.size()));
    }
    return seconds < 1e8 ? static_cast<std::int32_t>(std::lround(seconds * 10)) : no_clock;
}

/// Pawns with decimals, or #n for a mate; a depth after a comma is ignored.
std::int16_t parse_eval(std::string_view text) {
    text = text.substr(0, text.find(','));
    const bool mate = !text.empty() && text.front() == '#';
    if (mate) text.remove_prefix(1);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
        return no_eval;
    }
    if (!mate) return static_cast<std::int16_t>(std::lround(std::clamp(value * 100, -29999.0, 29999.0)));
    const auto moves = static_cast<std::int16_t>(std::min(std::abs(value), 1000.0));
    return static_cast<std::int16_t>(std::signbit(value) ? moves - most_eval : most_eval - moves);
}

}  // namespace

const std::string* PgnGame::tag(std::string_view name) const {
    for (const auto& [key, value] : tags) {
        if (key == name) return &value;
    }
    return nullptr;
}

void PgnParser::feed(std::string_view bytes) {
    std::size_t i = 0;
    while (i < bytes.size()) {
        if (const std::size_t plain = plain_run(bytes.substr(i)); plain > 0) {
            offset_ += plain;
            before_ = bytes[i + plain - 1];
            i += plain;
            continue;
        }
        const char c = bytes[i++];
        consume(c);
        if (c == '\n') ++line_;
        before_ = c;
        ++offset_;
    }
}

/// Takes what is in no way special in the present mode in one go, which is most of a file, and says how
/// much that was. Line ends are always left to `consume`.
std::size_t PgnParser::plain_run(std::string_view bytes) {
    const auto until = [&](auto ends) {
        return static_cast<std::size_t>(std::find_if(bytes.begin(), bytes.end(), ends) - bytes.begin());
    };
    const auto keep = [&](std::size_t run, std::size_t longest) {
        if (token_.size() <= longest) token_.append(bytes.substr(0, std::min(run, longest + 1)));
        return run;
    };
    switch (mode_) {
        case Mode::text: return keep(until([](char c) { return !is_word(c); }), longest_word);
        case Mode::tag: return keep(until([](char c) { return c == '\n'; }), longest_tag);
        case Mode::brace:
            if (in_command_) {
                return keep(until([](char c) { return c == ']' || c == '}' || c == '\n'; }), longest_command);
            }
            return until([](char c) { return c == '}' || c == '%' || c == '\n'; });
        default: return until([](char c) { return c == '\n'; });
    }
}

void PgnParser::finish() {
    if (mode_ == Mode::text) end_token();
    if (mode_ == Mode::tag || mode_ == Mode::brace || variation_depth_ > 0)
        fail("the file ends in the middle of it");
    if (in_game_) end_game();
    mode_ = Mode::text;
}

void PgnParser::consume(char c) {
    switch (mode_) {
        case Mode::text: consume_text(c); return;
        case Mode::tag:
            end_tag();  // only a line end comes here
            return;
        case Mode::brace:
            if (c == '}') {
                mode_ = Mode::text;
                in_command_ = false;
                token_.clear();
            } else if (in_command_ && c == ']') {
                end_command();
            } else if (!in_command_ && c == '%' && before_ == '[') {
                in_command_ = true;
            }
            return;
        case Mode::line_comment:
        case Mode::escaped_line:
            if (c == '\n') mode_ = Mode::text;
            return;
    }
}

void PgnParser::consume_text(char c) {
    const bool line_start = before_ == '\n';
    if (is_space(c)) {
        end_token();
    } else if (c == '[' && line_start) {
        end_token();
        // Tags after moves: the game before had no result.
        if (in_moves_) end_game();
        mode_ = Mode::tag;
    } else if (c == '%' && line_start) {
        mode_ = Mode::escaped_line;
    } else if (c == '{') {
        end_token();
        mode_ = Mode::brace;
    } else if (c == ';') {
        end_token();
        mode_ = Mode::line_comment;
    } else if (c == '(') {
        end_token();
        ++variation_depth_;
    } else if (c == ')') {
        end_token();
        if (variation_depth_ > 0) --variation_depth_;
    } else if (token_.size() <= longest_word) {
        token_ += c;
    }
}

void PgnParser::end_tag() {
    mode_ = Mode::text;
    if (!in_game_) game_.line = line_;
    in_game_ = true;
    const std::string_view text = token_;
    const auto open = text.find('"'), close = text.rfind('"');
    if (open != std::string_view::npos && close > open && game_.tags.size() < most_tags) {
        std::string value;
        for (std::size_t i = open + 1; i < close; ++i) {
            const bool escaped =
                text[i] == '\\' && i + 1 < close && (text[i + 1] == '"' || text[i + 1] == '\\');
            if (escaped) ++i;
            value += text[i];
        }
        const auto name = words(text.substr(0, open));
        if (name.size() == 1) game_.tags.emplace_back(std::string(name[0]), std::move(value));
    }
    token_.clear();
}

void PgnParser::end_token() {
    if (token_.empty()) return;
    const std::string word = std::exchange(token_, {});
    if (variation_depth_ > 0 && !is_result(word)) return;
    if (!in_game_) game_.line = line_;
    in_game_ = true;
    if (!in_moves_) begin_moves();
    if (is_result(word)) {
        if (variation_depth_ > 0) return;
        game_.result = word;
        end_game();
        return;
    }
    if (word.front() == '$' || word == "e.p.") return;
    const auto move = without_number(word);
    if (!move.empty() && game_.error.empty()) play(move);
}

void PgnParser::begin_moves() {
    in_moves_ = true;
    const std::string* variant = game_.tag("Variant");
    if (variant && *variant != "Standard" && *variant != "From Position" && *variant != "Chess") {
        fail("the variant " + quoted(*variant) + " is not chess");
    }
    position_ = chess::Position();
    if (const std::string* fen = game_.tag("FEN")) {
        try {
            position_ = chess::Position::parse(*fen);
        } catch (const BadText& error) {
            fail(error.what());
        }
    }
}

void PgnParser::play(std::string_view token) {
    legal_.clear();
    position_.moves(legal_);
    const auto move = chess::parse_san(position_, legal_, token);
    const std::size_t number = game_.moves.size() / 2 + 1;
    if (!move) {
        fail(quoted(token) + " is no legal move at move " + std::to_string(number));
        return;
    }
    const auto index = std::count_if(legal_.begin(), legal_.end(), [&](Move m) { return m < *move; });
    if (index > 255 || game_.moves.size() >= most_plies) {
        fail("it is longer or wider than a game of chess can be");
        return;
    }
    game_.moves.push_back(static_cast<std::uint8_t>(index));
    position_.play(*move);
}

void PgnParser::end_command() {
    in_command_ = false;
    const std::string command = std::exchange(token_, {});
    const auto space = command.find(' ');
    if (variation_depth_ > 0 || game_.moves.empty() || space == std::string::npos) return;
    const std::string_view name(command.data(), space);
    std::string_view value(command.data() + space + 1, command.size() - space - 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
    // The lists are filled up to this move only when something is known.
    const auto put = [&](auto& list, auto missing, auto known) {
        if (known == missing) return;
        list.resize(game_.moves.size(), missing);
        list.back() = known;
    };
    if (name == "clk") put(game_.clocks, no_clock, parse_clock(value));
    if (name == "eval") put(game_.evals, no_eval, parse_eval(value));
}

void PgnParser::fail(const std::string& message) {
    if (game_.error.empty()) game_.error = message;
}

void PgnParser::end_game() {
    if (!in_moves_) begin_moves();  // a game without moves may still have a wrong variant or position
    if (!game_.clocks.empty()) game_.clocks.resize(game_.moves.size(), no_clock);
    if (!game_.evals.empty()) game_.evals.resize(game_.moves.size(), no_eval);
    if (const std::string* result = game_.tag("Result");
        game_.result == "*" && result && is_result(*result)) {
        game_.result = *result;
    }
    game_.end = offset_;
    games_.push_back(std::exchange(game_, {}));
    in_game_ = in_moves_ = false;
    variation_depth_ = 0;
}

}  // namespace sparring::records
