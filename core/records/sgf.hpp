// Reading SGF as it streams by: bytes in, the main lines of whole games out, memory bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "records/go_game_builder.hpp"

namespace sparring::records {

/// One game tree of an SGF file: its main line. A game with an error keeps the moves before it.
struct SgfGame {
    std::uint64_t line = 0;  // of the file, where the game begins
    std::uint64_t end = 0;   // bytes of the file up to its end: reading can go on from there
    std::vector<std::pair<std::string, std::string>>
        properties;                    // the facts of the game, once each, undecoded
    std::string start;                 // the position before the first move
    std::vector<std::uint8_t> moves;   // two bytes each: the index among the legal moves in ascending order
    std::vector<std::int32_t> clocks;  // tenths of a second left after each move; empty if none is given
    std::string error;
    bool defect = false;  // the error is that a whole record is no game of alternating moves
};

class SgfParser {
 public:
    /// Takes the next bytes of the file.
    void feed(std::string_view bytes);
    /// The file has ended: a game that has not is broken.
    void finish();
    /// The games that were completed since the last call.
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
    /// Keeps a fact of the game, the first of its name.
    void keep(std::string_view name, const std::string& value);
    void record_clock();
    void fail(const std::string& message);
    /// Does something that may find the game broken.
    template <class Step>
    void attempt(Step step);

    std::vector<SgfGame> games_;
    SgfGame game_;
    GoGameBuilder builder_;

    // The node being read.
    std::vector<NodeMove> node_moves_;
    std::int32_t node_clock_[2];

    // Where in the text we are.
    int depth_ = 0;            // of brackets: 0 is between games
    bool main_done_ = false;   // the first leaf is behind us, the rest of the tree is variations
    bool bracket_ = false;     // a ( was read, and nothing but white space since
    bool fresh_node_ = false;  // a (; was read, and no property since
    bool in_value_ = false;
    bool escaped_ = false;       // a \ was read
    bool trail_ = false;         // the first of a character's two bytes was read
    bool double_bytes_ = false;  // the game declared a charset whose second bytes may look like ] or \ .
    bool wanted_ = false;        // the value is of a property that we know
    bool new_name_ = true;       // the next letter begins a property's name
    std::string name_, value_;
    std::uint64_t line_ = 1;
    std::uint64_t offset_ = 0;  // of the byte being read
    std::uint64_t open_ = 0;    // of the last ( and its line
    std::uint64_t open_line_ = 1;
};

}  // namespace sparring::records
