#include "rbc/position.hpp"

#include <algorithm>
#include <cstdlib>

#include "chess/position.hpp"
#include "game/errors.hpp"
#include "game/text.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

/// The squares that block a piece, and the targets of pawn captures: the only difference between requests and
/// pseudo-legal moves.
struct Visibility {
    Bitboard occupied;
    Bitboard pawn_targets;
    bool offers_bare_promotions;
};

void add_pawn_move(Square from, Square to, bool bare, MoveList& list) {
    if (!(bit(to) & back_ranks)) {
        list.push(make_move(from, to));
        return;
    }
    if (bare) list.push(make_move(from, to));
    for (const int type : {knight, bishop, rook, queen}) list.push(make_move(from, to, type));
}

void generate_pawns(const Board& b, const Visibility& view, MoveList& list) {
    const Color us = b.side();
    const int step = us == white ? 8 : -8;
    const int start_rank = us == white ? 1 : 6;
    for (Bitboard from = b.pieces(us, pawn); from;) {
        const Square s = pop_lsb(from);
        if (!(view.occupied & bit(s + step))) {
            add_pawn_move(s, s + step, false, list);
            if (rank_of(s) == start_rank && !(view.occupied & bit(s + 2 * step))) {
                list.push(make_move(s, s + 2 * step));
            }
        }
        for (Bitboard targets = pawn_attacks(us, s) & view.pawn_targets; targets;) {
            add_pawn_move(s, pop_lsb(targets), view.offers_bare_promotions, list);
        }
    }
}

/// Castling needs the right and a free path only.
bool castling_path_is_free(Square from, Square to, Bitboard occupied) {
    const Square rook_square = to > from ? from + 3 : from - 4;
    return !(occupied & between(from, rook_square));
}

bool has_right(const Board& b, bool is_short) {
    const int right = (is_short ? white_short : white_long) << (b.turn == white ? 0 : 2);
    return (b.castling & right) != 0;
}

void generate_moves(const Board& b, const Visibility& view, MoveList& list) {
    const Color us = b.side();
    const Bitboard own = b.colors[us];
    generate_pawns(b, view, list);
    for (Bitboard from = own & ~b.types[pawn]; from;) {
        const Square s = pop_lsb(from);
        Bitboard targets = 0;
        switch (b.type_at(s)) {
            case knight: targets = knight_attacks(s); break;
            case bishop: targets = bishop_attacks(s, view.occupied); break;
            case rook: targets = rook_attacks(s, view.occupied); break;
            case queen: targets = bishop_attacks(s, view.occupied) | rook_attacks(s, view.occupied); break;
            default:
                targets = king_attacks(s);
                for (const bool is_short : {true, false}) {
                    const Square to = is_short ? s + 2 : s - 2;
                    if (has_right(b, is_short) && castling_path_is_free(s, to, view.occupied))
                        targets |= bit(to);
                }
        }
        for (targets &= ~own; targets;) list.push(make_move(s, pop_lsb(targets)));
    }
}

Move taken_by_pawn(const Board& b, Square from, Square to, int promoted) {
    const Bitboard occupied = b.occupied();
    if (file_of(from) != file_of(to)) {
        const bool captures = (b.colors[~b.side()] & bit(to)) || to == b.en_passant;
        return captures ? make_move(from, to, promoted) : pass;
    }
    if (std::abs(to - from) == 16) {
        const Square middle = (from + to) / 2;
        if (occupied & bit(middle)) return pass;
        return occupied & bit(to) ? make_move(from, middle) : make_move(from, to);
    }
    return occupied & bit(to) ? pass : make_move(from, to, promoted);
}

/// A slider stops at the first piece on its way and captures it.
Move taken_by_slider(const Board& b, Square from, Square to) {
    const Bitboard blockers = between(from, to) & b.occupied();
    if (!blockers) return make_move(from, to);
    const Square nearest = to > from ? lsb(blockers) : 63 - std::countl_zero(blockers);
    return make_move(from, nearest);
}

}  // namespace

void requests(const Board& board, MoveList& list) {
    const Bitboard own = board.colors[board.side()];
    generate_moves(board, Visibility{own, ~own, true}, list);
}

void pseudo_legal(const Board& board, MoveList& list) {
    Bitboard pawn_targets = board.colors[~board.side()];
    if (board.en_passant != no_square) pawn_targets |= bit(board.en_passant);
    generate_moves(board, Visibility{board.occupied(), pawn_targets, false}, list);
}

Move taken(const Board& board, Move request) {
    if (request == pass) return pass;
    const Square from = from_square(request), to = to_square(request);
    switch (board.type_at(from)) {
        case pawn: {
            const bool promotes = (bit(to) & back_ranks) != 0;
            return taken_by_pawn(board, from, to,
                                 promotes && !promotion(request) ? queen : promotion(request));
        }
        case knight: return request;
        case king: {
            const bool castles = std::abs(file_of(to) - file_of(from)) == 2;
            return castles && !castling_path_is_free(from, to, board.occupied()) ? pass : request;
        }
        default: return taken_by_slider(board, from, to);
    }
}

std::optional<Square> capture_square(const Board& board, Move taken) {
    if (taken == pass) return std::nullopt;
    const Square from = from_square(taken), to = to_square(taken);
    if (board.colors[~board.side()] & bit(to)) return to;
    if (to == board.en_passant && (board.types[pawn] & bit(from)) && file_of(from) != file_of(to)) {
        return board.turn == white ? to - 8 : to + 8;
    }
    return std::nullopt;
}

void apply(Board& board, Move taken) {
    if (taken == pass) {
        board.apply_null();
    } else {
        board.apply(taken);
    }
}

Bitboard window(Square centre) { return king_attacks(centre) | bit(centre); }

Position::Position() : board_(chess::Position().board()) {}

Position Position::parse(std::string_view text) {
    const auto fields = split_words(text);
    bool sensing = true;
    std::string_view fen = text;
    if (!fields.empty() && (fields.back() == "sense" || fields.back() == "move")) {
        sensing = fields.back() == "sense";
        fen = text.substr(0, static_cast<std::size_t>(fields.back().data() - text.data()));
    }
    const Board board = Board::parse(fen);
    if (!board.types[king]) throw ParseError("FEN: neither side has a king in " + quoted(text));
    return Position(board, sensing);
}

std::string Position::text() const { return board_.fen() + (sensing_ ? " sense" : " move"); }

Move Position::parse_move(std::string_view text) const {
    if (text == "pass") return pass;
    constexpr std::string_view word = "sense ";
    if (text.substr(0, word.size()) != word) return parse_uci(text);
    const auto square = text.substr(word.size());
    if (square == "none") return no_sense;
    const bool on_board =
        square.size() == 2 && square[0] >= 'a' && square[0] <= 'h' && square[1] >= '1' && square[1] <= '8';
    if (!on_board) throw ParseError(quoted(text) + " is not a sense, such as 'sense e4' or 'sense none'");
    return make_sense((square[1] - '1') * 8 + (square[0] - 'a'));
}

std::string Position::move_text(Move m) const {
    if (m == pass) return "pass";
    if (m < sense_base) return uci(m);
    return "sense " + (m < no_sense ? square_text(m - sense_base) : std::string("none"));
}

void Position::moves(MoveList& list) const {
    if (!board_.pieces(board_.side(), king)) return;
    if (sensing_) {
        for (Square s = 0; s < 64; ++s) list.push(make_sense(s));
        list.push(no_sense);
        return;
    }
    requests(board_, list);
    list.push(pass);
}

void Position::play(Move m) {
    if (!sensing_) apply(board_, taken(board_, m));
    sensing_ = !sensing_;
}

void Position::encode(float* out) const {
    chess::encode(board_, out);
    std::fill(out + board_planes * 64, out + (board_planes + 1) * 64, sensing_ ? 1.0f : 0.0f);
}

Outcome Position::outcome(const Node<Position>& node) {
    constexpr int reversible_plies_limit = 100;
    const Board& b = node.position.board_;
    for (const Color c : {white, black}) {
        if (!b.pieces(c, king)) return Outcome::win(~c, "king capture");
    }
    if (b.halfmove_clock >= reversible_plies_limit) return Outcome::draw("move limit");
    return {};
}

}  // namespace sparring::rbc
