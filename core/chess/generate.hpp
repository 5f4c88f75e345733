// Legal chess moves, straight from bitboards: moves that leave the king in check are never made.
//
// `generate<C>` hands every move to a sink. A sink takes whole sets of target squares, so that
// counting costs a population count a piece and listing a loop.
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
        while (targets) list.push(make_move(from, pop(targets)));
    }
    /// Pawn moves whose from-square is the target less `step`.
    void pawns(int step, Bitboard targets) {
        while (targets) {
            const Square to = pop(targets);
            list.push(make_move(to - step, to));
        }
    }
    void promotions(int step, Bitboard targets) {
        while (targets) {
            const Square to = pop(targets);
            for (const int type : {knight, bishop, rook, queen}) list.push(make_move(to - step, to, type));
        }
    }
};

/// What limits the side to move: where a check can be answered, and the lines of pinned pieces.
struct Restraints {
    Bitboard answers = ~Bitboard{0};  // squares that answer a check by capture or block
    Bitboard pin_straight = 0;        // from the king to each pinning rook or queen, with the pinner
    Bitboard pin_diagonal = 0;
    int checkers = 0;
};

template <Color Us>
Restraints restraints(const Board& b, Square k) {
    constexpr Color Them = Us == white ? black : white;
    const Bitboard occupied = b.occupied(), own = b.colors[Us], enemy = b.colors[Them];
    const Bitboard straight = enemy & (b.types[rook] | b.types[queen]);
    const Bitboard diagonal = enemy & (b.types[bishop] | b.types[queen]);
    const Bitboard rook_view = rook_attacks(k, occupied), bishop_view = bishop_attacks(k, occupied);

    Restraints r;
    Bitboard checkers = (rook_view & straight) | (bishop_view & diagonal) |
                        (knight_attacks(k) & enemy & b.types[knight]) |
                        (pawn_attacks(Us, k) & enemy & b.types[pawn]);
    if (checkers) {
        r.checkers = std::popcount(checkers);
        const Square checker = first(checkers);
        r.answers = between(k, checker) | bit(checker);
    }
    for (Bitboard pinners = rook_attacks(k, occupied ^ (rook_view & own)) & straight & ~rook_view; pinners;) {
        const Square pinner = pop(pinners);
        r.pin_straight |= between(k, pinner) | bit(pinner);
    }
    for (Bitboard pinners = bishop_attacks(k, occupied ^ (bishop_view & own)) & diagonal & ~bishop_view;
         pinners;) {
        const Square pinner = pop(pinners);
        r.pin_diagonal |= between(k, pinner) | bit(pinner);
    }
    return r;
}

template <Color Us, class Sink>
void generate_king(const Board& b, Square k, const Restraints& r, Sink& sink) {
    constexpr Color Them = Us == white ? black : white;
    const Bitboard occupied = b.occupied(), without_king = occupied ^ bit(k);
    Bitboard safe = 0;
    for (Bitboard targets = king_attacks(k) & ~b.colors[Us]; targets;) {
        const Square to = pop(targets);
        if (!b.attackers(to, Them, without_king)) safe |= bit(to);
    }
    constexpr int rights = Us == white ? white_short | white_long : black_short | black_long;
    if (r.checkers == 0 && (b.castling & rights)) {
        const auto free_and_safe = [&](Square through, Square to, Bitboard empty) {
            return !(occupied & empty) && !b.attackers(through, Them, occupied) &&
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

/// Whether the pawn on `from` may capture en passant: two pawns leave a rank at once, so the
/// resulting board itself is asked.
template <Color Us>
bool en_passant_is_legal(const Board& b, Square from, Square k) {
    constexpr Color Them = Us == white ? black : white;
    const Bitboard captured = bit(Us == white ? b.en_passant - 8 : b.en_passant + 8);
    const Bitboard occupied = (b.occupied() ^ bit(from) ^ captured) | bit(b.en_passant);
    return !(b.attackers(k, Them, occupied) & ~captured);
}

template <Color Us, class Sink>
void generate_pawns(const Board& b, Square k, const Restraints& r, Sink& sink) {
    constexpr Color Them = Us == white ? black : white;
    constexpr int step = Us == white ? 8 : -8;
    constexpr Bitboard last_rank = Us == white ? rank_mask(7) : rank_mask(0);
    constexpr Bitboard third_rank = Us == white ? rank_mask(2) : rank_mask(5);
    const Bitboard empty = ~b.occupied(), enemy = b.colors[Them];
    const Bitboard own_pawns = b.pieces(Us, pawn);

    const auto emit = [&](int offset, Bitboard targets) {
        if (const Bitboard plain = targets & ~last_rank) sink.pawns(offset, plain);
        if (const Bitboard promoting = targets & last_rank) sink.promotions(offset, promoting);
    };

    const Bitboard pushers = own_pawns & ~r.pin_diagonal;
    const Bitboard single = ((forward<Us>(pushers & ~r.pin_straight)) |
                             (forward<Us>(pushers & r.pin_straight) & r.pin_straight)) &
                            empty;
    const Bitboard twice = forward<Us>(single & third_rank) & empty & r.answers;
    emit(step, single & r.answers);
    if (twice) sink.pawns(2 * step, twice);

    const Bitboard capturers = own_pawns & ~r.pin_straight;
    const Bitboard loose = capturers & ~r.pin_diagonal, pinned = capturers & r.pin_diagonal;
    const Bitboard targets = enemy & r.answers;
    emit(step - 1, (capture_west<Us>(loose) | (capture_west<Us>(pinned) & r.pin_diagonal)) & targets);
    emit(step + 1, (capture_east<Us>(loose) | (capture_east<Us>(pinned) & r.pin_diagonal)) & targets);

    if (b.en_passant != no_square) {
        for (Bitboard from = pawn_attacks(Them, b.en_passant) & own_pawns; from;) {
            const Square s = pop(from);
            if (en_passant_is_legal<Us>(b, s, k)) sink.piece(s, bit(b.en_passant));
        }
    }
}

template <Color Us, class Sink>
void generate(const Board& b, Sink& sink) {
    const Square k = first(b.pieces(Us, king));
    const Restraints r = restraints<Us>(b, k);
    generate_king<Us>(b, k, r, sink);
    if (r.checkers > 1) return;

    generate_pawns<Us>(b, k, r, sink);
    const Bitboard occupied = b.occupied(), own = b.colors[Us], targets = ~own & r.answers;
    for (Bitboard from = own & b.types[knight] & ~(r.pin_straight | r.pin_diagonal); from;) {
        const Square s = pop(from);
        sink.piece(s, knight_attacks(s) & targets);
    }
    for (Bitboard from = own & (b.types[bishop] | b.types[queen]) & ~r.pin_straight; from;) {
        const Square s = pop(from);
        const Bitboard line = r.pin_diagonal & bit(s) ? r.pin_diagonal : ~Bitboard{0};
        sink.piece(s, bishop_attacks(s, occupied) & targets & line);
    }
    for (Bitboard from = own & (b.types[rook] | b.types[queen]) & ~r.pin_diagonal; from;) {
        const Square s = pop(from);
        const Bitboard line = r.pin_straight & bit(s) ? r.pin_straight : ~Bitboard{0};
        sink.piece(s, rook_attacks(s, occupied) & targets & line);
    }
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
