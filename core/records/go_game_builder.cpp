#include "records/go_game_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "game/compiler.hpp"
#include "game/text.hpp"

namespace sparring::records {

namespace {

constexpr std::size_t max_plies = 20'000;
constexpr std::size_t max_setup_stones = 4'000;
/// Larger whole numbers are hundredths.
constexpr double min_hundredths = 200;

std::string lower(std::string_view text) {
    std::string result(text.substr(0, 40));
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

/// The column or row of a letter, or nothing.
std::optional<std::uint8_t> coordinate(char c, int size) {
    if (c < 'a' || c >= 'a' + size) return std::nullopt;
    return static_cast<std::uint8_t>(c - 'a');
}

[[noreturn]] void throw_bad_point(std::string_view text, int size) {
    throw ParseError(quoted(text) + " is no point of a board of size " + std::to_string(size));
}

}  // namespace

std::int16_t parse_recorded_komi(std::string_view text) {
    const bool plus = text.starts_with('+');
    double points = 0;
    const std::errc error = read_real(text.substr(plus ? 1 : 0), points);
    if (error != std::errc() || !std::isfinite(points)) {
        if (split_words(text).empty()) return 0;
        throw ParseError("komi " + quoted(text) + " is no number");
    }
    if (text.find('.') == std::string_view::npos && std::abs(points) >= min_hundredths) points /= 100;
    // Quarters are stones of Chinese counting, each worth two points.
    if (points * 2 != std::floor(points * 2)) points *= 2;
    return go::komi_halves(points);
}

go::Rules rules_from_name(std::string_view name) {
    go::Rules rules;
    rules.ko = go::KoRule::simple;
    const std::string known = lower(name);
    const auto says = [&](std::string_view part) { return known.find(part) != std::string::npos; };
    if (says("japan") || says("korea") || known == "jp") rules.scoring = go::ScoringRule::territory;
    rules.suicide = known == "nz" || known == "goe" || known == "ing" || says("zealand") || says("tromp");
    return rules;
}

void GoGameBuilder::set_size(std::string_view text) {
    const auto colon = text.find(':');
    const std::string_view columns = text.substr(0, colon);
    if (colon != std::string_view::npos && text.substr(colon + 1) != columns) {
        throw ParseError("the board " + quoted(text) + " is not square");
    }
    const auto size = parse_int(columns, 1000);
    if (!size) throw ParseError("the board's size " + quoted(text) + " is no number");
    size_ = go::checked_size(*size);
}

void GoGameBuilder::set_handicap(std::string_view text) {
    handicap_ = parse_int(text, go::max_points).value_or(0);
}

void GoGameBuilder::set_side(std::string_view text) {
    const std::string side = lower(text);
    if (side.starts_with('b') || side == "1") side_ = go::black;
    if (side.starts_with('w') || side == "2") side_ = go::white;
}

void GoGameBuilder::set_up(go::Color color, std::string_view points) {
    if (begun()) throw Defect("stones set up in the middle of the game");
    if (stones_.size() >= max_setup_stones)
        throw ParseError("more stones are set up than a board has points");
    const bool one = points.size() == 2;
    if (!one && !(points.size() == 5 && points[2] == ':')) throw_bad_point(points, size_);
    std::array<std::uint8_t, 4> edges{};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto edge = coordinate(points[one || i < 2 ? i % 2 : i + 1], go::max_board_size);
        if (!edge) throw_bad_point(points, go::max_board_size);
        edges[i] = *edge;
    }
    stones_.push_back({color, edges[0], edges[1], edges[2], edges[3]});
}

std::string GoGameBuilder::rows_text() const {
    std::array<go::Color, go::max_points> points;
    points.fill(go::empty);
    for (const Stones& some : stones_) {
        if (some.right >= size_ || some.bottom >= size_) {
            throw ParseError("stones are set up beyond a board of size " + std::to_string(size_));
        }
        for (int row = some.top; row <= some.bottom; ++row) {
            for (int column = some.left; column <= some.right; ++column) {
                points[static_cast<std::size_t>(row * size_ + column)] = some.color;
            }
        }
    }
    std::string rows;
    for (int i = 0, run = 0; i < size_ * size_; ++i) {
        const go::Color there = points[static_cast<std::size_t>(i)];
        const bool row_ends = (i + 1) % size_ == 0;
        run += there == go::empty;
        if (run > 0 && (there != go::empty || row_ends)) rows += std::to_string(std::exchange(run, 0));
        if (there != go::empty) rows += "XO"[there];
        if (row_ends && i + 1 < size_ * size_) rows += '/';
    }
    return rows;
}

std::string GoGameBuilder::start_text(go::Color side) const {
    go::Rules rules = rules_;
    rules.komi = komi_;
    std::string text = go::Position(size_, rules, 0).text();
    if (!stones_.empty()) text.replace(0, text.find(' '), rows_text());
    text[text.find(' ') + 1] = side == go::black ? 'b' : 'w';
    return text;
}

go::Color GoGameBuilder::handicap_side() const {
    const bool only_black = std::all_of(stones_.begin(), stones_.end(),
                                        [](const Stones& some) { return some.color == go::black; });
    return handicap_ >= 2 || (!stones_.empty() && only_black) ? go::white : go::black;
}

void GoGameBuilder::begin(std::optional<go::Color> first) {
    if (begun()) return;
    // The colour of the first move overrides the recorded player to move.
    const go::Color side = first ? *first : side_.value_or(handicap_side());
    // Servers place the same handicap on different points.
    if (handicap_ >= 2 && stones_.empty() && side == go::white) throw Defect("handicap stones not recorded");
    position_ = go::Position::parse(start_text(side));
    start_ = position_->text();
}

Move GoGameBuilder::parse_move(std::string_view point) const {
    if (point.empty() || point == "tt") return position_->pass();
    const auto x = point.size() == 2 ? coordinate(point[0], size_) : std::nullopt;
    const auto y = point.size() == 2 ? coordinate(point[1], size_) : std::nullopt;
    if (!x || !y) throw_bad_point(point, size_);
    return static_cast<Move>((size_ - 1 - *y) * size_ + *x);
}

void GoGameBuilder::play(go::Color color, std::string_view point) {
    begin(color);
    const Move move = parse_move(point);
    const bool over = position_->passes() >= 2;
    const bool turn = (position_->side() == color) != idle_;
    if (!turn) throw Defect("two moves running by one player");
    if (plies() >= max_plies) throw ParseError("it is longer than a game can be");
    if (over && move == position_->pass()) {
        idle_ = !idle_;
        return;
    }
    if (over) resume();
    if (move != position_->pass() && !position_->playable(move)) {
        throw IllegalMove(quoted(point) + " is no legal move at move " + std::to_string(plies() + 1));
    }
    push(move);
}

/// Removes two passes that would end the game, since play continues after them.
void GoGameBuilder::resume() {
    *position_ = *before_passes_;
    moves_.erase(moves_.end() - 4, moves_.end());
    if (std::exchange(idle_, false)) push(position_->pass());
}

void GoGameBuilder::push(Move move) {
    if (move == position_->pass() && position_->passes() == 0) before_passes_ = position_;
    std::uint16_t index = 0;
    for (go::Point p = 0; p < move; ++p) index += position_->playable(p);
    moves_.push_back(static_cast<std::uint8_t>(index & 0xFF));
    moves_.push_back(static_cast<std::uint8_t>(index >> 8));
    position_->play(move);
}

}  // namespace sparring::records
