#include "shogi/hcp.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "game/errors.hpp"

namespace sparring::shogi {

namespace {

constexpr std::size_t hcp_bytes = 32;
constexpr int squares = 81;
constexpr std::string_view dropped = "PLNSBRG";  // in the order of the programs' piece numbers

/// A kind of piece in the order in which its bits stand in the file. On the board the owner's bit follows,
/// and one that says whether it is promoted; in a hand the owner's bit; pieces in neither have a code too.
struct Code {
    char letter;
    std::string_view board;
    std::string_view hand;
    std::string_view box;
};

constexpr std::array<Code, 7> codes{{
    {'P', "10", "00", "010"},
    {'L', "1100", "1000", "10010"},
    {'N', "1110", "1100", "11010"},
    {'S', "1101", "1010", "10110"},
    {'G', "11110", "1110", "10111"},
    {'B', "111110", "111110", "1111000"},
    {'R', "111111", "111111", "1111010"},
}};

class BitReader {
 public:
    explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

    bool at_end() const { return at_ == bytes_.size() * 8; }
    bool next() {
        if (at_end()) throw ParseError("a Huffman coded position is longer than its bytes");
        const bool bit = static_cast<unsigned char>(bytes_[at_ / 8]) >> (at_ % 8) & 1;
        ++at_;
        return bit;
    }
    int number(int width) {
        int value = 0;
        for (int i = 0; i < width; ++i) value |= next() << i;
        return value;
    }
    /// Steps over the code if it comes next.
    bool take(std::string_view code) {
        for (std::size_t i = 0; i < code.size(); ++i) {
            const std::size_t at = at_ + i;
            if (at >= bytes_.size() * 8) return false;
            const bool bit = static_cast<unsigned char>(bytes_[at / 8]) >> (at % 8) & 1;
            if (bit != (code[i] == '1')) return false;
        }
        at_ += code.size();
        return true;
    }

 private:
    std::string_view bytes_;
    std::size_t at_ = 0;
};

char lower(char letter) { return static_cast<char>(letter - 'A' + 'a'); }

std::string read_square(BitReader& bits) {
    if (bits.take("0")) return "";
    for (const Code& code : codes) {
        if (!bits.take(code.board)) continue;
        const char letter = bits.next() ? lower(code.letter) : code.letter;
        const bool promoted = code.letter != 'G' && bits.next();
        std::string piece(promoted ? "+" : "");
        piece += letter;
        return piece;
    }
    throw ParseError("a Huffman coded position has an unknown piece on the board");
}

/// How many of each kind each player holds, by the order of `codes`.
using Hands = std::array<std::array<int, codes.size()>, 2>;

Hands read_hands(BitReader& bits) {
    Hands hands{};
    while (!bits.at_end()) {
        bool known = false;
        for (std::size_t type = 0; type < codes.size() && !known; ++type) {
            if (bits.take(codes[type].box)) {
                known = true;
            } else if (bits.take(codes[type].hand)) {
                ++hands[bits.next()][type];
                known = true;
            }
        }
        if (!known) throw ParseError("a Huffman coded position has an unknown piece in hand");
    }
    return hands;
}

std::string hands_text(const Hands& hands) {
    std::string text;
    for (const int owner : {0, 1}) {
        for (const std::string_view letter : {"R", "B", "G", "S", "N", "L", "P"}) {
            for (std::size_t type = 0; type < codes.size(); ++type) {
                const int count = hands[static_cast<std::size_t>(owner)][type];
                if (codes[type].letter != letter[0] || count == 0) continue;
                if (count > 1) text += std::to_string(count);
                text += owner ? lower(letter[0]) : letter[0];
            }
        }
    }
    return text.empty() ? "-" : text;
}

std::string rows_text(const std::array<std::string, squares>& board) {
    std::string text;
    for (int rank = 0; rank < 9; ++rank) {
        int run = 0;
        for (int file = 8; file >= 0; --file) {
            const std::string& piece = board[static_cast<std::size_t>(file * 9 + rank)];
            run += piece.empty();
            if (run > 0 && (!piece.empty() || file == 0)) text += std::to_string(std::exchange(run, 0));
            text += piece;
        }
        if (rank < 8) text += '/';
    }
    return text;
}

std::string square_text(unsigned square) {
    return {static_cast<char>('1' + square / 9), static_cast<char>('a' + square % 9)};
}

}  // namespace

std::string hcp_to_sfen(std::string_view bytes) {
    if (bytes.size() != hcp_bytes) throw ParseError("a Huffman coded position has 32 bytes");
    BitReader bits(bytes);
    const bool white = bits.next();
    std::array<std::string, squares> board;
    for (const char king : {'K', 'k'}) {
        const auto square = static_cast<std::size_t>(bits.number(7));
        if (square >= squares || !board[square].empty()) {
            throw ParseError("a Huffman coded position has a king on no square of its own");
        }
        board[square] = king;
    }
    for (std::string& square : board) {
        if (square.empty()) square = read_square(bits);
    }
    return rows_text(board) + (white ? " w " : " b ") + hands_text(read_hands(bits)) + " 1";
}

std::string move16_to_usi(unsigned move) {
    const unsigned to = move & 127, from = move >> 7 & 127;
    const bool drop = from >= squares;
    if (to >= squares || (drop && from - squares >= dropped.size())) {
        throw ParseError("the 16 bits " + std::to_string(move) + " are no move");
    }
    std::string text = drop ? std::string{dropped[from - squares], '*'} : square_text(from);
    text += square_text(to);
    if (!drop && (move >> 14 & 1)) text += '+';
    return text;
}

}  // namespace sparring::shogi
