#include "chess/san.hpp"

namespace sparring::chess {

namespace {

constexpr std::string_view piece_letters = "PNBRQK";
constexpr std::string_view promotion_letters = " NBRQ";

/// What a text says of a move; -1 where it is silent.
struct Description {
    int type = pawn;
    int from_file = -1;
    int from_rank = -1;
    Square to = -1;
    int promoted = 0;
};

bool is_file(char c) { return c >= 'a' && c <= 'h'; }
bool is_rank(char c) { return c >= '1' && c <= '8'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

/// Takes the promotion piece off the end: =Q, Q, or UCI's q.
int take_promotion(std::string_view& text) {
    const auto letter = promotion_letters.find(upper(text.back()));
    if (letter == std::string_view::npos || letter == 0 || text.size() < 3) return 0;
    // A b at the end could only be a file letter if a rank followed it.
    text.remove_suffix(1);
    if (text.back() == '=') text.remove_suffix(1);
    return static_cast<int>(letter);
}

std::optional<Description> describe(std::string_view text) {
    Description d;
    d.promoted = take_promotion(text);
    if (const auto letter = piece_letters.find(text.front()); letter != std::string_view::npos) {
        d.type = static_cast<int>(letter);
        text.remove_prefix(1);
    }
    if (text.size() < 2 || !is_file(text[text.size() - 2]) || !is_rank(text.back())) return std::nullopt;
    d.to = (text.back() - '1') * 8 + (text[text.size() - 2] - 'a');
    text.remove_suffix(2);
    if (!text.empty() && (text.back() == 'x' || text.back() == '-' || text.back() == ':'))
        text.remove_suffix(1);
    if (!text.empty() && is_file(text.front())) {
        d.from_file = text.front() - 'a';
        text.remove_prefix(1);
    }
    if (!text.empty() && is_rank(text.front())) {
        d.from_rank = text.front() - '1';
        text.remove_prefix(1);
    }
    return text.empty() ? std::optional(d) : std::nullopt;
}

std::optional<Move> only(const MoveList& legal, auto fits) {
    std::optional<Move> found;
    for (const Move move : legal) {
        if (!fits(move)) continue;
        if (found) return std::nullopt;
        found = move;
    }
    return found;
}

}  // namespace

std::optional<Move> parse_san(const Position& position, const MoveList& legal, std::string_view text) {
    const auto last = text.find_last_not_of("+#!?");
    if (last == std::string_view::npos || last == 0) return std::nullopt;
    text = text.substr(0, last + 1);

    const Board& board = position.board();
    if (text.front() == 'O' || text.front() == '0') {
        const bool is_short = text == "O-O" || text == "0-0";
        if (!is_short && text != "O-O-O" && text != "0-0-0") return std::nullopt;
        const Square k = first(board.pieces(board.side(), king));
        return only(legal, [&](Move m) { return m == make_move(k, is_short ? k + 2 : k - 2); });
    }
    const auto d = describe(text);
    if (!d) return std::nullopt;
    const bool from_is_given = d->from_file >= 0 && d->from_rank >= 0;
    const bool names_no_piece = piece_letters.find(text.front()) == std::string_view::npos;
    return only(legal, [&](Move m) {
        const Square from = from_square(m);
        if (to_square(m) != d->to || promotion(m) != d->promoted) return false;
        if (d->from_file >= 0 && file_of(from) != d->from_file) return false;
        if (d->from_rank >= 0 && rank_of(from) != d->from_rank) return false;
        // Both squares given without a piece letter is UCI: any piece may stand there. The king's two
        // steps are castling, which SAN writes another way.
        const int type = board.type_at(from);
        if (from_is_given && names_no_piece) return true;
        if (type == king && (from - d->to == 2 || d->to - from == 2)) return false;
        return type == d->type;
    });
}

}  // namespace sparring::chess
