// A streaming SGF parser: bytes in, main lines of complete games out, with bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "records/go_game_builder.hpp"

namespace sparring::records {

/// The main line of a game tree of an SGF file. If it has an error, the moves before the error are kept.
struct SgfGame {
    std::uint64_t line = 0;  // of the file, where the game begins
    std::uint64_t end = 0;   // offset of its end in the file, where reading can resume
    std::vector<std::pair<std::string, std::string>> properties;  // game information, undecoded
    std::string start;                                            // the position before the first move
    std::vector<std::uint8_t> moves;   // two bytes each: the index among the legal moves in ascending order
    std::vector<std::int32_t> clocks;  // tenths of a second left after each move; empty if none is given
    std::string error;
    bool defect = false;  // the error is that a complete record is not a game of alternating moves
};

class SgfParser {
 public:
    /// Parses the next bytes of the file.
    void feed(std::string_view bytes);
    /// Ends the file: an incomplete game gets an error.
    void finish();
    /// The games completed since the last call.
    std::vector<SgfGame> take() { return std::exchange(games_, {}); }

 private:
    struct NodeMove {
        go::Color color;
        std::string point;
    };

    void consume(char c);
    void consume_outside(char c);
    void consume_tree(char c);
    void consume_value(char c);
    void begin_game();
    void begin_value();
    void end_value();
    void end_node();
    void end_game(std::uint64_t end);
    /// Keeps a property of the game, unless it has one of that name.
    void keep(std::string_view name, const std::string& value);
    void record_clock();
    void fail(const std::string& message);
    /// Calls a function and stores its error in the game.
    template <class Step>
    void attempt(Step step);

    std::vector<SgfGame> games_;
    SgfGame game_;
    GoGameBuilder builder_;

    // The node being read.
    std::vector<NodeMove> node_moves_;
    std::int32_t node_clock_[2];

    // The state of the scanner.
    int depth_ = 0;            // of brackets: 0 is between games
    bool main_done_ = false;   // the first leaf was reached; the rest are variations
    bool bracket_ = false;     // a ( was read, and nothing but white space since
    bool fresh_node_ = false;  // a (; was read, and no property since
    bool in_value_ = false;
    bool escaped_ = false;       // a \ was read
    bool trail_ = false;         // the first of a character's two bytes was read
    bool double_bytes_ = false;  // the game declared a charset whose second bytes may look like ] or \ .
    bool wanted_ = false;        // the value belongs to a known property
    bool new_name_ = true;       // the next letter begins a property's name
    std::string name_, value_;
    std::uint64_t line_ = 1;
    std::uint64_t offset_ = 0;  // of the byte being read
    std::uint64_t open_ = 0;    // of the last ( and its line
    std::uint64_t open_line_ = 1;
};

}  // namespace sparring::records
