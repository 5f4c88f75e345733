#include "chess/san.hpp"

#include "chess/generate.hpp"

namespace sparring::chess {

namespace {

/// The fields of a move text; -1 if not given.
struct SanFields {
    int type = no_piece;
    int from_file = -1;
    int from_rank = -1;
    Square to = -1;
    int promoted = 0;
};

bool is_file(char c) { return c >= 'a' && c <= 'h'; }
bool is_rank(char c) { return c >= '1' && c <= '8'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

int piece_type(char letter) {
    switch (letter) {
        case 'P': return pawn;
        case 'N': return knight;
        case 'B': return bishop;
        case 'R': return rook;
        case 'Q': return queen;
        case 'K': return king;
        default: return no_piece;
    }
}

/// Takes the promotion piece off the end: =Q, Q, or UCI's q.
int take_promotion(std::string_view& text) {
    // A b at the end could only be a file letter if a rank followed it.
    const int type = piece_type(upper(text.back()));
    if (type < knight || type > queen || text.size() < 3) return 0;
    text.remove_suffix(1);
    if (text.back() == '=') text.remove_suffix(1);
    return type;
}

std::optional<SanFields> parse_fields(std::string_view text) {
    SanFields d;
    d.promoted = take_promotion(text);
    d.type = piece_type(text.front());
    if (d.type != no_piece) text.remove_prefix(1);
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

/// The filter of the moves that match the fields, apart from the promotion.
MoveFilter filter_of(const Board& board, const SanFields& d) {
    MoveFilter filter{.from = ~Bitboard{0}, .to = bit(d.to)};
    if (d.from_file >= 0) filter.from &= file_mask(d.from_file);
    if (d.from_rank >= 0) filter.from &= rank_mask(d.from_rank);
    // Two squares without a piece letter are UCI: any piece may move.
    if (d.type == no_piece && d.from_file >= 0 && d.from_rank >= 0) return filter;
    filter.from &= board.types[d.type == no_piece ? pawn : d.type];
    // A king move of two squares is castling, which SAN writes as O-O.
    if (d.type == king) filter.to &= king_attacks(lsb(board.pieces(board.side(), king)));
    return filter;
}

/// Keeps a move with the given promotion and counts the matches. The filter has one target.
struct OnlySink {
    int promoted;
    Move move = 0;
    int matches = 0;

    void piece(Square from, Bitboard targets) {
        if (targets && !promoted) keep(from, lsb(targets));
    }
    void pawns(int step, Bitboard targets) { piece(lsb(targets) - step, targets); }
    void promotions(int step, Bitboard targets) {
        if (promoted) keep(lsb(targets) - step, lsb(targets));
    }

 private:
    void keep(Square from, Square to) {
        move = make_move(from, to, promoted);
        ++matches;
    }
};

/// The only filtered move with this promotion, or nothing.
template <Color Us>
std::optional<IndexedMove> only(const Board& board, MoveFilter filter, int promoted) {
    const Square k = lsb(board.pieces(Us, king));
    const CheckInfo limits = check_info<Us>(board, k);
    OnlySink sink{promoted};
    generate<Us>(board, k, limits, sink, filter);
    if (sink.matches != 1) return std::nullopt;
    IndexSink smaller(sink.move);
    generate<Us>(board, k, limits, smaller, MoveFilter{.from = smaller.from()});
    return IndexedMove{sink.move, smaller.total};
}

std::optional<IndexedMove> only(const Board& board, MoveFilter filter, int promoted) {
    return board.turn == white ? only<white>(board, filter, promoted) : only<black>(board, filter, promoted);
}

}  // namespace

std::optional<IndexedMove> parse_san(const Position& position, std::string_view text) {
    const auto is_mark = [](char c) { return c == '+' || c == '#' || c == '!' || c == '?'; };
    while (!text.empty() && is_mark(text.back())) text.remove_suffix(1);
    if (text.size() < 2) return std::nullopt;

    const Board& board = position.board();
    if (text.front() == 'O' || text.front() == '0') {
        const bool is_short = text == "O-O" || text == "0-0";
        if (!is_short && text != "O-O-O" && text != "0-0-0") return std::nullopt;
        constexpr int home_file = 4;
        const Square k = lsb(board.pieces(board.side(), king));
        if (file_of(k) != home_file) return std::nullopt;
        return only(board, MoveFilter{.from = bit(k), .to = bit(is_short ? k + 2 : k - 2)}, 0);
    }
    const auto d = parse_fields(text);
    return d ? only(board, filter_of(board, *d), d->promoted) : std::nullopt;
}

}  // namespace sparring::chess
