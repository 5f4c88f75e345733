// A streaming PGN parser: bytes in, complete games out, with bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chess/position.hpp"
#include "records/pgn_comments.hpp"

namespace sparring::records {

/// A game of a PGN file. If it has an error, the moves before the error are kept.
struct PgnGame {
    std::uint64_t line = 0;  // of the file, where the game begins
    std::uint64_t end = 0;   // offset of its end in the file, where reading can resume
    std::vector<std::pair<std::string, std::string>> tags;
    std::vector<std::uint8_t> moves;   // the index among the legal moves in ascending order, one byte each
    std::vector<std::int32_t> clocks;  // tenths of a second left after each move; empty if none is given
    std::vector<std::int16_t> evals;   // centipawns for White after each move; empty if none is given
    std::string result = "*";
    std::string error;

    const std::string* tag(std::string_view name) const;
};

class PgnParser {
 public:
    /// Parses the next bytes of the file.
    void feed(std::string_view bytes);
    /// Ends the file: completes a last game without a result.
    void finish();
    /// The games completed since the last call.
    std::vector<PgnGame> take() { return std::exchange(games_, {}); }

 private:
    enum class Mode : std::uint8_t { text, tag, comment, command, skipped_line };

    static constexpr std::array<std::uint8_t, 256> stops();
    void consume(char c, char before, std::string_view run);
    void begin(char c);
    void keep(std::string_view run);
    std::string_view token(std::string_view run);
    void end_tag(std::string_view text);
    void end_word(std::string_view word);
    void end_command(std::string_view command);
    void play(std::string_view text);
    void begin_moves();
    void end_game();
    void fail(const std::string& message);

    std::vector<PgnGame> games_;
    PgnGame game_;
    bool in_game_ = false;   // part of the game was read
    bool in_moves_ = false;  // its tags are complete
    const chess::Position initial_;
    chess::Position position_;

    Mode mode_ = Mode::text;
    int variation_depth_ = 0;
    std::string token_;   // the begin of an incomplete tag, word or comment command
    std::string ended_;   // the last token that came in pieces
    char before_ = '\n';  // the last byte of the previous feed
    std::uint64_t line_ = 1;
    std::uint64_t offset_ = 0;  // of the byte being read
};

}  // namespace sparring::records
