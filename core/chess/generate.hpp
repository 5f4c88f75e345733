// Generates legal chess moves with bitboards. Pins and checks are known beforehand, so no move is made and
// taken back.
//
// `generate<C>` passes the moves to a sink as sets of target squares: counting is one population count per
// piece. A MoveFilter restricts the moves.
#pragma once

#include "chess/board.hpp"

namespace sparring::chess {

/// Counts moves.
struct CountSink {
    std::uint64_t total = 0;

    void piece(Square, Bitboard targets) { total += static_cast<std::uint64_t>(std::popcount(targets)); }
    void pawns(int, Bitboard targets) { total += static_cast<std::uint64_t>(std::popcount(targets)); }
    void promotions(int, Bitboard targets) {
        total += 4 * static_cast<std::uint64_t>(std::popcount(targets));
    }
};

/// Lists moves.
struct ListSink {
    MoveList& list;

    void piece(Square from, Bitboard targets) {
        while (targets) list.push(make_move(from, pop_lsb(targets)));
    }
    /// Pawn moves; the from-square is the target minus `step`.
    void pawns(int step, Bitboard targets) {
        while (targets) {
            const Square to = pop_lsb(targets);
            list.push(make_move(to - step, to));
        }
    }
    void promotions(int step, Bitboard targets) {
        while (targets) {
            const Square to = pop_lsb(targets);
            for (const int type : {knight, bishop, rook, queen}) list.push(make_move(to - step, to, type));
        }
    }
};

/// Counts the moves with smaller codes than a given move: its index in ascending order.
class IndexSink {
 public:
    explicit IndexSink(Move move)
        : from_(from_square(move)), to_(to_square(move)), promoted_(promotion(move)) {}

    std::size_t total = 0;

    void piece(Square from, Bitboard targets) {
        if (from == from_ && !promoted_) targets &= bit(to_) - 1;
        if (from <= from_ || promoted_) total += count(targets);
    }
    void pawns(int step, Bitboard targets) { total += count(promoted_ ? targets : smaller(step, targets)); }
    /// Promotions have the largest codes, ordered by piece and then by squares.
    void promotions(int step, Bitboard targets) {
        if (!promoted_) return;
        total += static_cast<std::size_t>(promoted_ - 1) * count(targets) + count(smaller(step, targets));
    }

    /// The pieces that can have smaller moves.
    Bitboard from() const { return promoted_ ? ~Bitboard{0} : bit(from_) | (bit(from_) - 1); }

 private:
    static std::size_t count(Bitboard targets) { return static_cast<std::size_t>(std::popcount(targets)); }

    /// The targets of pawns on smaller from-squares, or on the same from-square with a smaller target.
    Bitboard smaller(int step, Bitboard targets) const {
        const int end = from_ + step + (from_ + step < to_);
        return end <= 0 ? 0 : end > 63 ? targets : targets & (bit(end) - 1);
    }

    Square from_, to_;
    int promoted_;
};

/// Restricts the moves to pieces on `from` and targets in `to`.
struct MoveFilter {
    Bitboard from = ~Bitboard{0};
    Bitboard to = ~Bitboard{0};
};

/// Checks and pins of the side to move.
struct CheckInfo {
    Bitboard check_mask = ~Bitboard{0};  // targets that capture the checker or block the check
    Bitboard pin_straight = 0;  // the lines from the king to pinning rooks and queens, including these
    Bitboard pin_diagonal = 0;
    int checkers = 0;
};

template <Color Us>
CheckInfo check_info(const Board& b, Square k) {
    constexpr Color Them = Us == white ? black : white;
    const Bitboard occupied = b.occupied(), own = b.colors[Us], enemy = b.colors[Them];
    const Bitboard straight = enemy & (b.types[rook] | b.types[queen]);
    const Bitboard diagonal = enemy & (b.types[bishop] | b.types[queen]);
    const Bitboard rook_view = rook_attacks(k, occupied), bishop_view = bishop_attacks(k, occupied);

    CheckInfo r;
    Bitboard checkers = (rook_view & straight) | (bishop_view & diagonal) |
                        (knight_attacks(k) & enemy & b.types[knight]) |
                        (pawn_attacks(Us, k) & enemy & b.types[pawn]);
    if (checkers) {
        r.checkers = std::popcount(checkers);
        const Square checker = lsb(checkers);
        r.check_mask = between(k, checker) | bit(checker);
    }
    for (Bitboard pinners = rook_attacks(k, occupied ^ (rook_view & own)) & straight & ~rook_view; pinners;) {
        const Square pinner = pop_lsb(pinners);
        r.pin_straight |= between(k, pinner) | bit(pinner);
    }
    for (Bitboard pinners = bishop_attacks(k, occupied ^ (bishop_view & own)) & diagonal & ~bishop_view;
         pinners;) {
        const Square pinner = pop_lsb(pinners);
        r.pin_diagonal |= between(k, pinner) | bit(pinner);
    }
    return r;
}

template <Color Us, class Sink>
void generate_king(const Board& b, Square k, const CheckInfo& r, Sink& sink, MoveFilter filter) {
    constexpr Color Them = Us == white ? black : white;
    const Bitboard occupied = b.occupied(), without_king = occupied ^ bit(k);
    Bitboard safe = 0;
    for (Bitboard targets = king_attacks(k) & ~b.colors[Us] & filter.to; targets;) {
        const Square to = pop_lsb(targets);
        if (!b.attackers(to, Them, without_king)) safe |= bit(to);
    }
    constexpr int rights = Us == white ? white_short | white_long : black_short | black_long;
    if (r.checkers == 0 && (b.castling & rights)) {
        const auto free_and_safe = [&](Square through, Square to, Bitboard empty) {
            return (filter.to & bit(to)) && !(occupied & empty) && !b.attackers(through, Them, occupied) &&
                   !b.attackers(to, Them, occupied);
        };
        constexpr Square home = Us == white ? 4 : 60;
        if ((b.castling & rights & (white_short | black_short)) &&
            free_and_safe(home + 1, home + 2, bit(home + 1) | bit(home + 2))) {
            safe |= bit(home + 2);
        }
        if ((b.castling & rights & (white_long | black_long)) &&
            free_and_safe(home - 1, home - 2, bit(home - 1) | bit(home - 2) | bit(home - 3))) {
            safe |= bit(home - 2);
        }
    }
    if (safe) sink.piece(k, safe);
}

/// Whether an en passant capture from `from` is legal. Two pawns leave a rank at once, so the board after the
/// capture is tested.
template <Color Us>
bool en_passant_is_legal(const Board& b, Square from, Square k) {
    constexpr Color Them = Us == white ? black : white;
    const Bitboard captured = bit(Us == white ? b.en_passant - 8 : b.en_passant + 8);
    const Bitboard occupied = (b.occupied() ^ bit(from) ^ captured) | bit(b.en_passant);
    return !(b.attackers(k, Them, occupied) & ~captured);
}

template <Color Us, class Sink>
void generate_pawns(const Board& b, Square k, const CheckInfo& r, Sink& sink, MoveFilter filter) {
    constexpr Color Them = Us == white ? black : white;
    constexpr int step = Us == white ? 8 : -8;
    constexpr Bitboard last_rank = Us == white ? rank_mask(7) : rank_mask(0);
    constexpr Bitboard third_rank = Us == white ? rank_mask(2) : rank_mask(5);
    const Bitboard empty = ~b.occupied(), enemy = b.colors[Them];
    const Bitboard own_pawns = b.pieces(Us, pawn) & filter.from;
    if (!own_pawns) return;
    const Bitboard wanted = r.check_mask & filter.to;

    const auto emit = [&](int offset, Bitboard targets) {
        if (const Bitboard plain = targets & ~last_rank) sink.pawns(offset, plain);
        if (const Bitboard promoting = targets & last_rank) sink.promotions(offset, promoting);
    };

    const Bitboard pushers = own_pawns & ~r.pin_diagonal;
    const Bitboard single = ((forward<Us>(pushers & ~r.pin_straight)) |
                             (forward<Us>(pushers & r.pin_straight) & r.pin_straight)) &
                            empty;
    const Bitboard twice = forward<Us>(single & third_rank) & empty & wanted;
    emit(step, single & wanted);
    if (twice) sink.pawns(2 * step, twice);

    const Bitboard capturers = own_pawns & ~r.pin_straight;
    const Bitboard loose = capturers & ~r.pin_diagonal, pinned = capturers & r.pin_diagonal;
    const Bitboard targets = enemy & wanted;
    emit(step - 1, (capture_west<Us>(loose) | (capture_west<Us>(pinned) & r.pin_diagonal)) & targets);
    emit(step + 1, (capture_east<Us>(loose) | (capture_east<Us>(pinned) & r.pin_diagonal)) & targets);

    if (b.en_passant != no_square && (filter.to & bit(b.en_passant))) {
        for (Bitboard from = pawn_attacks(Them, b.en_passant) & own_pawns; from;) {
            const Square s = pop_lsb(from);
            if (en_passant_is_legal<Us>(b, s, k)) sink.piece(s, bit(b.en_passant));
        }
    }
}

/// Generates the filtered moves; `r` is check_info of the king on `k`.
template <Color Us, class Sink>
void generate(const Board& b, Square k, const CheckInfo& r, Sink& sink, MoveFilter filter) {
    if (filter.from & bit(k)) generate_king<Us>(b, k, r, sink, filter);
    if (r.checkers > 1) return;

    generate_pawns<Us>(b, k, r, sink, filter);
    const Bitboard occupied = b.occupied(), targets = ~b.colors[Us] & r.check_mask & filter.to;
    const Bitboard own = b.colors[Us] & filter.from;
    for (Bitboard from = own & b.types[knight] & ~(r.pin_straight | r.pin_diagonal); from;) {
        const Square s = pop_lsb(from);
        sink.piece(s, knight_attacks(s) & targets);
    }
    for (Bitboard from = own & (b.types[bishop] | b.types[queen]) & ~r.pin_straight; from;) {
        const Square s = pop_lsb(from);
        const Bitboard line = r.pin_diagonal & bit(s) ? r.pin_diagonal : ~Bitboard{0};
        sink.piece(s, bishop_attacks(s, occupied) & targets & line);
    }
    for (Bitboard from = own & (b.types[rook] | b.types[queen]) & ~r.pin_diagonal; from;) {
        const Square s = pop_lsb(from);
        const Bitboard line = r.pin_straight & bit(s) ? r.pin_straight : ~Bitboard{0};
        sink.piece(s, rook_attacks(s, occupied) & targets & line);
    }
}

template <Color Us, class Sink>
void generate(const Board& b, Sink& sink) {
    const Square k = lsb(b.pieces(Us, king));
    generate<Us>(b, k, check_info<Us>(b, k), sink, MoveFilter{});
}

template <class Sink>
void generate(const Board& b, Sink& sink) {
    if (b.turn == white) {
        generate<white>(b, sink);
    } else {
        generate<black>(b, sink);
    }
}

}  // namespace sparring::chess
