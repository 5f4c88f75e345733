#include "records/sgf.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "game/compiler.hpp"
#include "game/errors.hpp"
#include "game/text.hpp"
#include "records/pgn_comments.hpp"

namespace sparring::records {

namespace {

constexpr std::size_t max_name_length = 12;
constexpr std::size_t max_value_length = 1000;
constexpr std::size_t max_node_moves = 1000;

/// The properties that are kept as game information.
constexpr std::array<std::string_view, 18> game_info_properties{"GM", "FF", "CA", "SZ", "KM", "RU",
                                                                "HA", "RE", "BR", "WR", "TM", "OT",
                                                                "DT", "PB", "PW", "EV", "PC", "GN"};
constexpr std::array<std::string_view, 8> node_properties{"B", "W", "AB", "AW", "AE", "PL", "BL", "WL"};
/// Root properties, which come first.
constexpr std::array<std::string_view, 5> root_properties{"GM", "FF", "SZ", "CA", "AP"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether the second byte of a character may be one of the special characters of SGF.
bool has_double_bytes(std::string_view charset) {
    std::string name;
    for (const char c : charset.substr(0, 20)) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const auto begins = [&](std::string_view with) { return name.starts_with(with); };
    return begins("gb") || begins("shift") || begins("sjis") || begins("big5") || begins("cp93") ||
           begins("ms9") || begins("windows-3");
}

std::int32_t tenths(std::string_view text) {
    double seconds = 0;
    const std::errc error = read_real(text, seconds);
    const bool good = error == std::errc() && seconds >= 0 && seconds < 1e8;
    return good ? static_cast<std::int32_t>(std::lround(seconds * 10)) : no_clock;
}

}  // namespace

template <class Step>
void SgfParser::attempt(Step step) {
    try {
        step();
    } catch (const Defect& error) {
        fail(error.what());
        game_.defect = true;
    } catch (const std::invalid_argument& error) {
        fail(error.what());
    }
}

void SgfParser::feed(std::string_view bytes) {
    for (const char c : bytes) {
        consume(c);
        if (c == '\n') ++line_;
        ++offset_;
    }
}

void SgfParser::finish() {
    if (depth_ > 0) {
        fail("the file ends in the middle of it");
        end_game(offset_);
    }
}

void SgfParser::consume(char c) {
    if (in_value_) {
        consume_value(c);
    } else if (depth_ == 0) {
        consume_outside(c);
    } else {
        consume_tree(c);
    }
}

void SgfParser::consume_outside(char c) {
    if (c == '(') {
        bracket_ = true;
        open_ = offset_;
        open_line_ = line_;
    } else if (c == ';' && bracket_) {
        begin_game();
    } else if (!is_space(c)) {
        bracket_ = false;
    }
}

void SgfParser::consume_tree(char c) {
    if (c >= 'A' && c <= 'Z') {
        if (std::exchange(new_name_, false)) name_.clear();
        if (name_.size() < max_name_length) name_ += c;
    } else if (c >= 'a' && c <= 'z') {
        // Old files have long names: only the capitals of BlackSpec and SiZe count.
    } else if (c == '[') {
        begin_value();
    } else if (c == ';') {
        end_node();
        fresh_node_ = bracket_;
    } else if (c == '(') {
        end_node();
        ++depth_;
        open_ = offset_;
        open_line_ = line_;
    } else if (c == ')') {
        end_node();
        main_done_ = true;
        if (--depth_ == 0) end_game(offset_ + 1);
    }
    if (!is_space(c)) bracket_ = c == '(';
}

void SgfParser::consume_value(char c) {
    if (trail_) {
        trail_ = false;
    } else if (escaped_) {
        escaped_ = false;
        if (c == '\n' || c == '\r') return;
    } else if (c == '\\') {
        escaped_ = true;
        return;
    } else if (c == ']') {
        end_value();
        return;
    } else {
        trail_ = double_bytes_ && static_cast<unsigned char>(c) > 0x80;
    }
    if (wanted_ && value_.size() < max_value_length) value_ += c;
}

void SgfParser::begin_game() {
    depth_ = 1;
    bracket_ = main_done_ = double_bytes_ = fresh_node_ = false;
    new_name_ = true;
    builder_ = {};
    game_.line = open_line_;
    end_node();
}

void SgfParser::begin_value() {
    if (std::exchange(fresh_node_, false) && depth_ > 1 && among(root_properties, name_)) {
        fail("another game begins in the middle of it");
        end_game(open_);
        begin_game();
    }
    in_value_ = new_name_ = true;
    escaped_ = trail_ = false;
    value_.clear();
    wanted_ = !main_done_ && game_.error.empty() &&
              (among(game_info_properties, name_) || among(node_properties, name_));
}

void SgfParser::end_value() {
    in_value_ = false;
    if (!wanted_) return;
    const std::string_view value = trimmed(value_);
    attempt([&] {
        if (name_ == "B" || name_ == "W") {
            if (node_moves_.size() >= max_node_moves) throw ParseError("a node has too many moves");
            node_moves_.push_back({name_ == "B" ? go::black : go::white, std::string(value)});
        } else if (name_ == "AB" || name_ == "AW" || name_ == "AE") {
            builder_.set_up(name_ == "AB" ? go::black : name_ == "AW" ? go::white : go::empty, value);
        } else if (name_ == "BL" || name_ == "WL") {
            node_clock_[name_ == "WL"] = tenths(value);
        } else if (name_ == "PL") {
            builder_.set_side(value);
        } else {
            keep(name_, std::string(value));
        }
    });
}

void SgfParser::keep(std::string_view name, const std::string& value) {
    const bool known = std::any_of(game_.properties.begin(), game_.properties.end(),
                                   [&](const auto& property) { return property.first == name; });
    if (known) return;
    game_.properties.emplace_back(name, value);
    if (name == "CA") double_bytes_ = has_double_bytes(value);
    if (name == "GM" && value != "1" && !value.empty()) throw ParseError("GM" + quoted(value) + " is not Go");
    if (name == "SZ" && !value.empty()) builder_.set_size(value);
    if (name == "KM") builder_.set_komi(value);
    if (name == "RU") builder_.set_rules(value);
    if (name == "HA") builder_.set_handicap(value);
}

void SgfParser::end_node() {
    for (const NodeMove& move : node_moves_) {
        if (!game_.error.empty()) break;
        attempt([&] { builder_.play(move.color, move.point); });
    }
    if (node_moves_.size() == 1) record_clock();
    node_moves_.clear();
    node_clock_[0] = node_clock_[1] = no_clock;
}

void SgfParser::record_clock() {
    const std::int32_t clock = node_clock_[node_moves_[0].color];
    if (clock == no_clock || builder_.plies() == 0) return;
    game_.clocks.resize(builder_.plies(), no_clock);
    game_.clocks.back() = clock;
}

void SgfParser::fail(const std::string& message) {
    if (game_.error.empty()) game_.error = message;
}

void SgfParser::end_game(std::uint64_t end) {
    node_moves_.clear();
    if (game_.error.empty()) attempt([&] { builder_.begin(std::nullopt); });
    game_.start = builder_.start();
    game_.moves = builder_.moves();
    if (!game_.clocks.empty()) game_.clocks.resize(builder_.plies(), no_clock);
    game_.end = end;
    games_.push_back(std::exchange(game_, {}));
    depth_ = 0;
    in_value_ = bracket_ = false;
}

}  // namespace sparring::records
