#include "records/pgn.hpp"

#include <algorithm>

#include "chess/san.hpp"
#include "game/errors.hpp"
#include "game/text.hpp"

namespace sparring::records {

namespace {

constexpr std::size_t max_token_length = 1000;
constexpr std::size_t max_tags = 100;
constexpr std::size_t max_plies = 20'000;
constexpr std::size_t usual_tags = 16, usual_plies = 128;  // reserved at once

bool is_result(std::string_view word) {
    switch (word.size()) {
        case 1: return word == "*";
        case 3: return word == "1-0" || word == "0-1";
        case 7: return word == "1/2-1/2";
        default: return false;
    }
}

/// A word without its move number: 12.Nf3 and 12...Nf6 lose it, 12. becomes empty.
std::string_view without_number(std::string_view word) {
    std::size_t dot = 0;
    while (dot < word.size() && word[dot] >= '0' && word[dot] <= '9') ++dot;
    std::size_t move = dot;
    while (move < word.size() && word[move] == '.') ++move;
    return move > dot || dot == word.size() ? word.substr(move) : word;
}

}  // namespace

const std::string* PgnGame::tag(std::string_view name) const {
    for (const auto& [key, value] : tags) {
        if (key == name) return &value;
    }
    return nullptr;
}

/// The significant bytes of each mode, as bits by mode. The bytes between two of them are processed at once.
/// A line end is always significant.
constexpr std::array<std::uint8_t, 256> PgnParser::stops() {
    std::array<std::uint8_t, 256> table{};
    const auto stop = [&](Mode mode, std::string_view bytes) {
        for (const char c : bytes)
            table[static_cast<unsigned char>(c)] |= static_cast<std::uint8_t>(1 << static_cast<int>(mode));
    };
    stop(Mode::text, " \t\n\v\f\r[%{;()");
    stop(Mode::tag, "\n");
    stop(Mode::comment, "}%\n");
    stop(Mode::command, "]}\n");
    stop(Mode::skipped_line, "\n");
    return table;
}

void PgnParser::feed(std::string_view bytes) {
    static constexpr auto table = stops();
    const std::uint64_t begin = offset_;
    const char* const data = bytes.data();
    const char* const end = data + bytes.size();
    for (const char* at = data; at < end; ++at) {
        const char* const run = at;
        const int bit = 1 << static_cast<int>(mode_);
        while (at < end && !(table[static_cast<unsigned char>(*at)] & bit)) ++at;
        if (at == end) {
            keep({run, at});
            break;
        }
        offset_ = begin + static_cast<std::uint64_t>(at - data);
        consume(*at, at > data ? at[-1] : before_, {run, at});
        line_ += *at == '\n';
    }
    offset_ = begin + bytes.size();
    if (!bytes.empty()) before_ = bytes.back();
}

void PgnParser::finish() {
    if (mode_ == Mode::text) end_word(token({}));
    if (mode_ == Mode::tag || mode_ == Mode::comment || mode_ == Mode::command || variation_depth_ > 0)
        fail("the file ends in the middle of it");
    if (in_game_) end_game();
    mode_ = Mode::text;
    token_.clear();
}

/// Keeps the begin of an incomplete token. Overlong tokens are truncated; comments and skipped lines are
/// dropped.
void PgnParser::keep(std::string_view run) {
    if (mode_ == Mode::comment || mode_ == Mode::skipped_line) return;
    token_.append(run.substr(0, max_token_length - std::min(max_token_length, token_.size())));
}

/// The token that ends with this run. Valid until the next `keep`.
std::string_view PgnParser::token(std::string_view run) {
    if (token_.empty()) return run.substr(0, max_token_length);
    keep(run);
    ended_.swap(token_);
    token_.clear();
    return ended_;
}

/// Processes a significant byte and the run before it.
void PgnParser::consume(char c, char before, std::string_view run) {
    switch (mode_) {
        case Mode::text:
            if ((c == '[' || c == '%') && before != '\n') {
                keep(run);
                keep({&c, 1});
                return;
            }
            if (!run.empty() || !token_.empty()) end_word(token(run));
            if (c != ' ') begin(c);
            return;
        case Mode::tag:
            mode_ = Mode::text;
            end_tag(token(run));
            return;
        case Mode::comment:
            if (c == '}') mode_ = Mode::text;
            if (c == '%' && before == '[') mode_ = Mode::command;
            return;
        case Mode::command:
            if (c == '\n') {
                keep(run);
                keep(" ");
                return;
            }
            if (c == ']') end_command(token(run));
            mode_ = c == ']' ? Mode::comment : Mode::text;
            token_.clear();
            return;
        case Mode::skipped_line: mode_ = Mode::text; return;
    }
}

/// Leaves plain text at a byte that begins another token.
void PgnParser::begin(char c) {
    switch (c) {
        case '[':
            // Tags after moves: the previous game has no result.
            if (in_moves_) end_game();
            mode_ = Mode::tag;
            return;
        case '{': mode_ = Mode::comment; return;
        case '%':
        case ';': mode_ = Mode::skipped_line; return;
        case '(': ++variation_depth_; return;
        case ')': variation_depth_ = std::max(variation_depth_ - 1, 0); return;
        default: return;
    }
}

void PgnParser::end_tag(std::string_view text) {
    if (!in_game_) game_.line = line_;
    in_game_ = true;
    const auto open = text.find('"'), close = text.rfind('"');
    if (open == std::string_view::npos || close == open || game_.tags.size() >= max_tags) return;
    const std::string_view name = trimmed(text.substr(0, open));
    if (name.empty() || std::any_of(name.begin(), name.end(), is_space)) return;
    game_.tags.reserve(usual_tags);
    auto& [key, value] = game_.tags.emplace_back(name, text.substr(open + 1, close - open - 1));
    if (value.find('\\') == std::string::npos) return;
    std::size_t end = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const bool escapes = value[i] == '\\' && i + 1 < value.size();
        if (escapes && (value[i + 1] == '"' || value[i + 1] == '\\')) ++i;
        value[end++] = value[i];
    }
    value.resize(end);
}

void PgnParser::end_word(std::string_view word) {
    if (word.empty() || variation_depth_ > 0) return;
    if (!in_game_) game_.line = line_;
    in_game_ = true;
    if (!in_moves_) begin_moves();
    if (is_result(word)) {
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
    game_.moves.reserve(usual_plies);
    const std::string* variant = game_.tag("Variant");
    if (variant && *variant != "Standard" && *variant != "From Position" && *variant != "Chess") {
        fail("the variant " + quoted(*variant) + " is not chess");
    }
    position_ = initial_;
    if (const std::string* fen = game_.tag("FEN")) {
        try {
            position_ = chess::Position::parse(*fen);
        } catch (const ParseError& error) {
            fail(error.what());
        }
    }
}

void PgnParser::play(std::string_view text) {
    const auto san = chess::parse_san(position_, text);
    if (!san) {
        fail(quoted(text) + " is no legal move at move " + std::to_string(game_.moves.size() / 2 + 1));
        return;
    }
    if (san->index > 255 || game_.moves.size() >= max_plies) {
        fail("it is longer or wider than a game of chess can be");
        return;
    }
    game_.moves.push_back(static_cast<std::uint8_t>(san->index));
    position_.play(san->move);
}

void PgnParser::end_command(std::string_view command) {
    if (variation_depth_ > 0 || game_.moves.empty()) return;
    const auto value_of = [&](std::string_view name) {
        return command.starts_with(name) ? trimmed(command.substr(name.size())) : std::string_view();
    };
    // The lists are filled up to this move only if a value is known.
    const auto put = [&](auto& list, auto missing, auto known) {
        if (known == missing) return;
        if (list.empty()) list.reserve(usual_plies);
        list.resize(game_.moves.size(), missing);
        list.back() = known;
    };
    if (const auto clock = value_of("clk "); !clock.empty()) put(game_.clocks, no_clock, parse_clock(clock));
    if (const auto eval = value_of("eval "); !eval.empty()) put(game_.evals, no_eval, parse_eval(eval));
}

void PgnParser::fail(const std::string& message) {
    if (game_.error.empty()) game_.error = message;
}

void PgnParser::end_game() {
    if (!in_moves_) begin_moves();  // a game without moves may have an invalid variant or position
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
