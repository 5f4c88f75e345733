// Reading PGN as it streams by: bytes in, whole games out, memory bounded whatever the input.
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

/// One game of a PGN file. A game with an error keeps the moves before it.
struct PgnGame {
    std::uint64_t line = 0;  // of the file, where the game begins
    std::uint64_t end = 0;   // bytes of the file up to its end: reading can go on from there
    std::vector<std::pair<std::string, std::string>> tags;
    std::vector<std::uint8_t> moves;   // each the index among the legal moves in ascending order
    std::vector<std::int32_t> clocks;  // tenths of a second left after each move; empty if none is given
    std::vector<std::int16_t> evals;   // centipawns for White after each move; empty if none is given
    std::string result = "*";
    std::string error;

    const std::string* tag(std::string_view name) const;
};

class PgnParser {
 public:
    /// Takes the next bytes of the file.
    void feed(std::string_view bytes);
    /// The file has ended: a last game without a result is complete now.
    void finish();
    /// The games that were completed since the last call.
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
    bool in_game_ = false;   // something of the game was read
    bool in_moves_ = false;  // its tags are behind us
    const chess::Position initial_;
    chess::Position position_;

    Mode mode_ = Mode::text;
    int variation_depth_ = 0;
    std::string token_;   // what earlier bytes held of the tag, word or comment command being read
    std::string ended_;   // the last token that was in pieces
    char before_ = '\n';  // the last byte of what was fed before
    std::uint64_t line_ = 1;
    std::uint64_t offset_ = 0;  // of the byte being read
};

}  // namespace sparring::records
