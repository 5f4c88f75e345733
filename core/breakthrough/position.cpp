#include "breakthrough/position.hpp"

#include "game/errors.hpp"
#include "game/random.hpp"
#include "game/text.hpp"

namespace sparring::breakthrough {

namespace {

constexpr Bitboard far_row[2] = {Bitboard{0xFF} << 56, 0xFF};

std::string square_text(int s) { return {static_cast<char>('a' + s % 8), static_cast<char>('1' + s / 8)}; }

/// The square of a text such as a2, or -1.
int parse_square(std::string_view text) {
    if (text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') return -1;
    return (text[1] - '1') * 8 + text[0] - 'a';
}

}  // namespace

Position::Position() : pieces_{0xFFFF, Bitboard{0xFFFF} << 48} {}

Position Position::parse(std::string_view text) {
    const auto bad = [&](const std::string& why) {
        return ParseError("position: " + why + " in " + quoted(text));
    };
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) throw bad("rows, a space, and w or b expected");
    Position p;
    p.pieces_ = {};
    int x = 0, y = 7;
    for (const char c : text.substr(0, space)) {
        if (c == '/') {
            if (x != 8 || y == 0) throw bad("8 rows of 8 squares expected");
            x = 0;
            --y;
        } else if (c >= '1' && c <= '8') {
            x += c - '0';
        } else if (c == 'P' || c == 'p') {
            if (x < 8) p.pieces_[c == 'P' ? white : black] |= Bitboard{1} << (8 * y + x);
            ++x;
        } else {
            throw bad(std::string("P, p, 1 to 8 and / expected, not ") + quoted({&c, 1}));
        }
        if (x > 8) throw bad("8 rows of 8 squares expected");
    }
    if (x != 8 || y != 0) throw bad("8 rows of 8 squares expected");
    const std::string_view side = text.substr(space + 1);
    if (side != "w" && side != "b") throw bad("w or b expected as the side to move");
    p.turn_ = side == "w" ? white : black;
    for (const Bitboard pieces : p.pieces_) {
        if (std::popcount(pieces) > 16) throw bad("at most 16 pieces a side expected");
    }
    const bool both = (p.pieces_[white] & far_row[white]) && (p.pieces_[black] & far_row[black]);
    if (both || !(p.pieces_[white] | p.pieces_[black])) throw bad("at most one winner expected");
    return p;
}

std::string Position::text() const {
    std::string result;
    for (int y = 7; y >= 0; --y) {
        int empty = 0;
        for (int x = 0; x < 8; ++x) {
            const Bitboard here = Bitboard{1} << (8 * y + x);
            if (!((pieces_[white] | pieces_[black]) & here)) {
                ++empty;
                continue;
            }
            if (empty) result += static_cast<char>('0' + empty);
            empty = 0;
            result += pieces_[white] & here ? 'P' : 'p';
        }
        if (empty) result += static_cast<char>('0' + empty);
        if (y) result += '/';
    }
    return result + (turn_ == white ? " w" : " b");
}

Move Position::parse_move(std::string_view text) const {
    const int from = text.size() == 4 ? parse_square(text) : -1;
    const int to = text.size() == 4 ? parse_square(text.substr(2)) : -1;
    if (from < 0 || to < 0) throw ParseError("move: two squares such as a2b3 expected, not " + quoted(text));
    const int sideways = to % 8 - from % 8;
    if (to / 8 - from / 8 != (turn_ == white ? 1 : -1) || sideways < -1 || sideways > 1) {
        throw ParseError("move: one step forward expected, not " + quoted(text));
    }
    return static_cast<Move>(3 * from + sideways + 1);
}

std::string Position::move_text(Move m) const {
    const int to = m < move_codes ? target(m) : -1;
    if (to < 0 || to > 63) return std::string("#").append(std::to_string(m));
    return square_text(m / 3) + square_text(to);
}

std::uint64_t Position::key() const {
    return Random(Random(pieces_[white]).next() ^ (pieces_[black] + static_cast<Bitboard>(turn_))).next();
}

void Position::moves(MoveList& list) const {
    if (winner() >= 0) return;
    const Bitboard own = pieces_[turn_], enemy = pieces_[1 - turn_];
    for (Bitboard left = own; left; left &= left - 1) {
        const int from = std::countr_zero(left);
        for (int way = 0; way < 3; ++way) {
            if ((way == 0 && from % 8 == 0) || (way == 2 && from % 8 == 7)) continue;
            const auto code = static_cast<Move>(3 * from + way);
            const Bitboard to = Bitboard{1} << target(code);
            if (!(own & to) && !(way == 1 && (enemy & to))) list.push(code);
        }
    }
}

void Position::play(Move m) {
    const Bitboard to = Bitboard{1} << target(m);
    pieces_[turn_] = (pieces_[turn_] & ~(Bitboard{1} << m / 3)) | to;
    pieces_[1 - turn_] &= ~to;
    turn_ = 1 - turn_;
}

int Position::winner() const {
    for (const int color : {white, black}) {
        if ((pieces_[color] & far_row[color]) || !pieces_[1 - color]) return color;
    }
    return -1;
}

void Position::encode(float* out) const {
    const int flip = turn_ == white ? 0 : 56;
    for (int s = 0; s < 64; ++s) {
        out[s ^ flip] = static_cast<float>(pieces_[turn_] >> s & 1);
        out[64 + (s ^ flip)] = static_cast<float>(pieces_[1 - turn_] >> s & 1);
    }
}

Outcome Position::outcome(const Node<Position>& node) {
    const Position& p = node.position;
    const int winner = p.winner();
    if (winner < 0) return {};
    return Outcome::win(winner, p.pieces_[1 - winner] ? "far row" : "no pieces");
}

}  // namespace sparring::breakthrough
