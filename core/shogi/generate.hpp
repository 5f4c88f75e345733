// Generates legal shogi moves with bitboards. Pins and checks are known beforehand, so no move is made and
// taken back.
//
// `generate<C>` passes the moves to a sink as sets of target squares: counting is a few population counts.
#pragma once

#include "shogi/board.hpp"

namespace sparring::shogi {

/// Counts moves.
struct CountSink {
    std::uint64_t total = 0;

    void piece(Square, Bitboard plain, Bitboard promoted) { add(plain, promoted); }
    void pawns(int, Bitboard plain, Bitboard promoted) { add(plain, promoted); }
    void drops(int, Bitboard targets) { total += static_cast<std::uint64_t>(count(targets)); }

 private:
    void add(Bitboard plain, Bitboard promoted) {
        total += static_cast<std::uint64_t>(count(plain) + count(promoted));
    }
};

/// Lists moves.
struct ListSink {
    MoveList& list;

    void piece(Square from, Bitboard plain, Bitboard promoted) {
        for_each(plain, [&](Square to) { list.push(make_move(from, to)); });
        for_each(promoted, [&](Square to) { list.push(make_move(from, to) | promoting); });
    }
    /// Pawn moves; the from-square is the target minus `step`.
    void pawns(int step, Bitboard plain, Bitboard promoted) {
        for_each(plain, [&](Square to) { list.push(make_move(to - step, to)); });
        for_each(promoted, [&](Square to) { list.push(make_move(to - step, to) | promoting); });
    }
    void drops(int type, Bitboard targets) {
        for_each(targets, [&](Square to) { list.push(make_drop(type, to)); });
    }
};

/// A pinned piece and the line on which it may move.
struct Pin {
    Square square;
    Bitboard line;
};

/// Checks and pins of the side to move.
struct CheckInfo {
    Bitboard check_mask = whole_board;  // targets that capture the checker or block the check
    Bitboard checkers;
    Bitboard pinned;
    std::array<Pin, 8> pins;  // at most one per direction
    int num_pins = 0;
};

template <Color Us>
CheckInfo check_info(const Board& b, Square k) {
    constexpr Color Them = ~Us;
    const Bitboard occupied = b.occupied(), enemy = b.colors[Them];
    CheckInfo r;
    if (tables.near[k] & enemy) {
        r.checkers =
            enemy & ((steps(Us, pawn, k) & b.types[pawn]) | (steps(Us, knight, k) & b.types[knight]) |
                     (steps(Us, silver, k) & b.types[silver]) | (steps(Us, gold, k) & b.golds()) |
                     (king_steps(k) & (b.types[horse] | b.types[dragon])));
    }
    const Bitboard sliders = enemy & ((tables.straight[k] & (b.types[rook] | b.types[dragon])) |
                                      (tables.diagonal[k] & (b.types[bishop] | b.types[horse])) |
                                      (tables.ahead[Us][k] & b.types[lance]));
    for_each(sliders, [&](Square s) {
        const Bitboard line = between(k, s), blockers = line & occupied;
        if (!blockers) {
            r.checkers |= bit(s);
        } else if (!several(blockers) && (blockers & b.colors[Us])) {
            r.pinned |= blockers;
            r.pins[r.num_pins++] = {lsb(blockers), line | bit(s)};
        }
    });
    if (r.checkers) {
        const Square checker = lsb(r.checkers);
        r.check_mask = between(k, checker) | bit(checker);
    }
    return r;
}

/// The squares near the king that the opponent attacks, with the king removed from the board.
template <Color Us>
Bitboard danger(const Board& b, Square k) {
    constexpr Color Them = ~Us;
    const Bitboard occupied = b.occupied() ^ bit(k), enemy = b.colors[Them];
    Bitboard result;
    for_each(enemy & tables.near[k], [&](Square s) { result |= steps(Them, b.squares[s], s); });
    for_each(enemy & b.types[lance], [&](Square s) { result |= lance_attacks(Them, s, occupied); });
    for_each(enemy & (b.types[bishop] | b.types[horse]),
             [&](Square s) { result |= bishop_attacks(s, occupied); });
    for_each(enemy & (b.types[rook] | b.types[dragon]),
             [&](Square s) { result |= rook_attacks(s, occupied); });
    return result;
}

/// Passes the moves of a piece to the sink, with and without promotion.
template <Color Us, class Sink>
inline void send(int type, Square from, Bitboard targets, Sink& sink) {
    if (type >= gold) {
        sink.piece(from, targets, {});
    } else {
        sink.piece(from, targets - dead_end(Us, type),
                   promotion_zone(Us).has(from) ? targets : targets & promotion_zone(Us));
    }
}

template <Color Us, class Sink>
void generate_pawns(Bitboard pawns, Bitboard targets, Sink& sink) {
    constexpr int step = Us == black ? -1 : 1;
    const Bitboard reached = forward<Us>(pawns) & targets;
    sink.pawns(step, reached - dead_end(Us, pawn), reached & promotion_zone(Us));
}

template <Color Us, class Sink>
void generate_drops(const Board& b, Bitboard targets, Sink& sink) {
    constexpr Color Them = ~Us;
    const auto& hand = b.hands[Us];
    if (hand[pawn]) {
        Bitboard free = (targets & files_without(b.colors[Us] & b.types[pawn])) - dead_end(Us, pawn);
        const Bitboard check = steps(Them, pawn, b.king_of(Them)) & free;
        if (check && b.pawn_drop_mates(lsb(check))) free ^= check;
        sink.drops(pawn, free);
    }
    for (int type = lance; type < num_hand_types; ++type) {
        if (hand[type]) sink.drops(type, targets - dead_end(Us, type));
    }
}

template <Color Us, class Sink>
void generate(const Board& b, Sink& sink) {
    const Square k = b.king_of(Us);
    const Bitboard own = b.colors[Us], occupied = b.occupied();
    if (const Bitboard around = king_steps(k) - own) sink.piece(k, around - danger<Us>(b, k), {});
    const CheckInfo r = check_info<Us>(b, k);
    if (several(r.checkers)) return;

    const Bitboard targets = r.check_mask - own, free = own - r.pinned;
    generate_pawns<Us>(free & b.types[pawn], targets, sink);
    const auto pieces = [&](PieceType type, Bitboard set) {
        for_each(free & set,
                 [&](Square s) { send<Us>(type, s, attacks(Us, type, s, occupied) & targets, sink); });
    };
    for (const PieceType type : {lance, knight, silver, bishop, rook, horse, dragon})
        pieces(type, b.types[type]);
    pieces(gold, b.golds());
    for (int i = 0; i < r.num_pins; ++i) {
        const auto& [s, line] = r.pins[static_cast<std::size_t>(i)];
        send<Us>(b.squares[s], s, attacks(Us, b.squares[s], s, occupied) & targets & line, sink);
    }
    generate_drops<Us>(b, r.check_mask - occupied, sink);
}

template <class Sink>
void generate(const Board& b, Sink& sink) {
    if (b.turn == black) {
        generate<black>(b, sink);
    } else {
        generate<white>(b, sink);
    }
}

}  // namespace sparring::shogi
