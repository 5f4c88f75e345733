#include "chess/position.hpp"

#include "chess/generate.hpp"
#include "game/errors.hpp"
#include "game/text.hpp"

namespace sparring::chess {

namespace {

constexpr std::string_view claim_suffix = " claim_draws";
constexpr std::string_view start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Whether `c` cannot mate by any sequence of legal moves.
bool cannot_mate(const Board& b, Color c) {
    const Bitboard own = b.colors[c], other = b.colors[~c];
    if (own & (b.types[pawn] | b.types[rook] | b.types[queen])) return false;
    if (own & b.types[knight]) {
        return std::popcount(own) <= 2 && !(other & ~b.types[king] & ~b.types[queen]);
    }
    if (own & b.types[bishop]) {
        const bool one_shade = !(b.types[bishop] & light_squares) || !(b.types[bishop] & ~light_squares);
        return one_shade && !b.types[pawn] && !b.types[knight];
    }
    return true;
}

}  // namespace

Position::Position(bool claim_draws) : board_(Board::parse(start)), claim_draws_(claim_draws) {}

Position Position::parse(std::string_view text) {
    const bool claim_draws = text.ends_with(claim_suffix);
    const std::string_view fen = claim_draws ? text.substr(0, text.size() - claim_suffix.size()) : text;
    Position position(Board::parse(fen));
    position.claim_draws_ = claim_draws;
    const Board& b = position.board_;
    for (const Color c : {white, black}) {
        if (!b.pieces(c, king))
            throw ParseError("FEN: there is no " + std::string(c == white ? "white" : "black") + " king in " +
                             quoted(fen));
    }
    const Color mover = b.side();
    if (b.attackers(lsb(b.pieces(~mover, king)), mover, b.occupied())) {
        throw ParseError("FEN: the side that just moved is in check in " + quoted(fen));
    }
    position.fen_en_passant_ = b.en_passant;
    position.drop_illegal_en_passant();
    return position;
}

std::string Position::full_text() const { return claim_draws_ ? text().append(claim_suffix) : text(); }

void Position::moves(MoveList& list) const {
    ListSink sink{list};
    generate(board_, sink);
}

std::uint64_t Position::count() const {
    CountSink sink;
    generate(board_, sink);
    return sink.total;
}

void Position::play(Move m) {
    board_.apply(m);
    fen_en_passant_ = no_square;
    drop_illegal_en_passant();
}

void Position::drop_illegal_en_passant() {
    if (board_.en_passant == no_square) return;
    const Color us = board_.side();
    const Square k = lsb(board_.pieces(us, king));
    for (Bitboard from = pawn_attacks(~us, board_.en_passant) & board_.pieces(us, pawn); from;) {
        const Square s = pop_lsb(from);
        if (us == white ? en_passant_is_legal<white>(board_, s, k) : en_passant_is_legal<black>(board_, s, k))
            return;
    }
    board_.clear_en_passant();
}

bool Position::in_check() const {
    const Color us = board_.side();
    return board_.attackers(lsb(board_.pieces(us, king)), ~us, board_.occupied()) != 0;
}

bool Position::insufficient_material() const {
    return cannot_mate(board_, white) && cannot_mate(board_, black);
}

Outcome Position::outcome(const Node<Position>& node) {
    const Position& p = node.position;
    const bool stuck = p.count() == 0;
    if (stuck && p.in_check()) return Outcome::win(1 - p.side(), "checkmate");
    if (p.insufficient_material()) return Outcome::draw("insufficient material");
    if (stuck) return Outcome::draw("stalemate");
    if (p.board_.halfmove_clock >= 150) return Outcome::draw("seventy-five moves");
    constexpr int soonest_fifth = 16;  // each of four returns takes at least four plies
    if (p.board_.halfmove_clock >= soonest_fifth && occurrences(node, p.board_.halfmove_clock) >= 5)
        return Outcome::draw("fivefold repetition");
    return p.claim_draws_ ? claimable_draw(node) : Outcome{};
}

Outcome Position::claimable_draw(const Node<Position>& node) {
    const int reversible = node.position.board_.halfmove_clock;
    if (reversible >= 100) return Outcome::draw("fifty moves");
    if (occurrences(node, reversible) >= 3) return Outcome::draw("threefold repetition");
    return {};
}

}  // namespace sparring::chess
