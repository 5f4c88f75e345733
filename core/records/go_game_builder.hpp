// Builds a recorded Go game: set-up, then moves, which are packed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "game/errors.hpp"
#include "go/position.hpp"

namespace sparring::records {

/// A complete record that is not a game of alternating moves from a known position.
struct Defect : ParseError {
    using ParseError::ParseError;
};

/// Parses komi into half points: 6.5, but also 650 and 375 as Fox writes it, the latter in stones of Chinese
/// counting, each worth two points. Throws ParseError.
std::int16_t parse_recorded_komi(std::string_view text);

/// The rules of a name such as Japanese or NZ. The ko rule is always simple: it permits all games played by
/// other ko rules.
go::Rules rules_from_name(std::string_view name);

class GoGameBuilder {
 public:
    /// Game information before the first move. Throws ParseError.
    void set_size(std::string_view text);
    void set_komi(std::string_view text) { komi_ = parse_recorded_komi(text); }
    void set_rules(std::string_view name) { rules_ = rules_from_name(name); }
    void set_handicap(std::string_view text);
    void set_side(std::string_view text);
    /// Sets up stones, or removes them with `empty`: a point such as pd or a rectangle such as aa:ss. Throws
    /// ParseError or Defect.
    void set_up(go::Color color, std::string_view points);

    /// Plays a move; throws ParseError, Defect or IllegalMove.
    void play(go::Color color, std::string_view point);
    /// Completes the set-up of a game without moves. Throws ParseError or Defect.
    void begin(std::optional<go::Color> first);

    bool begun() const { return position_.has_value(); }
    const std::string& start() const { return start_; }
    /// Packed moves: the index among the legal moves in ascending order, two bytes each, little-endian.
    const std::vector<std::uint8_t>& moves() const { return moves_; }
    std::size_t plies() const { return moves_.size() / 2; }

 private:
    struct Stones {
        go::Color color;
        std::uint8_t left, top, right, bottom;
    };

    std::string rows_text() const;
    std::string start_text(go::Color side) const;
    go::Color handicap_side() const;
    /// The move of two letters; the pass for none or tt.
    Move parse_move(std::string_view point) const;
    void resume();
    void push(Move move);

    int size_ = go::max_board_size;
    int handicap_ = 0;
    std::int16_t komi_ = 0;
    go::Rules rules_ = rules_from_name("");
    std::optional<go::Color> side_;
    std::vector<Stones> stones_;
    std::optional<go::Position> position_;
    std::string start_;
    std::vector<std::uint8_t> moves_;
    std::optional<go::Position> before_passes_;  // the position before the last passes
    bool idle_ = false;                          // an odd number of passes followed those that end a game
};

}  // namespace sparring::records
