#include "shogi/board.hpp"

#include <algorithm>

#include "game/random.hpp"

namespace sparring::shogi {

namespace {

struct Zobrist {
    std::uint64_t piece[2][num_piece_types][num_squares];
    std::uint64_t hand[2][num_hand_types][19];  // by count; an empty hand counts for nothing
    std::uint64_t white_to_move;
    std::uint64_t declared;
};

constexpr Zobrist make_zobrist() {
    Zobrist z{};
    Random random(0x5406);
    fill(z.piece, random);
    fill(z.hand, random);
    for (auto& color : z.hand) {
        for (auto& counts : color) counts[0] = 0;
    }
    fill(z.white_to_move, random);
    fill(z.declared, random);
    return z;
}

constexpr Zobrist zobrist = make_zobrist();

}  // namespace

Bitboard Board::attackers(Square s, Color by, Bitboard occupied) const {
    // What a piece attacks from `s` seen the other way round is from where it attacks `s`.
    const Color to = ~by;
    const Bitboard near = (steps(to, pawn, s) & types[pawn]) | (steps(to, knight, s) & types[knight]) |
                          (steps(to, silver, s) & types[silver]) | (steps(to, gold, s) & golds()) |
                          (king_steps(s) & (types[king] | types[horse] | types[dragon]));
    const Bitboard straight = types[rook] | types[dragon], diagonal = types[bishop] | types[horse];
    Bitboard far;
    if (tables.straight[s] & colors[by] & (straight | types[lance])) {
        far = (rook_attacks(s, occupied) & straight) | (lance_attacks(to, s, occupied) & types[lance]);
    }
    if (tables.diagonal[s] & colors[by] & diagonal) far |= bishop_attacks(s, occupied) & diagonal;
    return colors[by] & (near | far);
}

bool Board::pawn_drop_mates(Square to) const {
    const Color us = side(), them = ~us;
    const Square k = king_of(them);
    const Bitboard after = occupied() | bit(to);
    if (!attackers(to, us, after)) return false;  // the king takes the pawn
    bool answered = false;
    for_each(king_steps(k) - colors[them] - bit(to),
             [&](Square escape) { answered = answered || !attackers(escape, us, after ^ bit(k)); });
    if (answered) return false;
    for_each(attackers(to, them, after) - bit(k),
             [&](Square taker) { answered = answered || !attackers(k, us, after ^ bit(taker)); });
    return !answered;
}

bool Board::meets_declaration_rule(Color c) const {
    if (!promotion_zone(c).has(king_of(c))) return false;
    constexpr int pieces_needed = 10;
    const Bitboard inside = (colors[c] & promotion_zone(c)) - types[king];
    if (count(inside) < pieces_needed) return false;
    const Bitboard big = types[bishop] | types[rook] | types[horse] | types[dragon];
    int points = count(inside) + 4 * count(inside & big);
    for (int type = 0; type < num_hand_types; ++type) {
        points += hands[c][type] * (type == bishop || type == rook ? 5 : 1);
    }
    return points >= (c == black ? 28 : 27);
}

void Board::put(Color c, int type, Square s) {
    types[type] |= bit(s);
    colors[c] |= bit(s);
    squares[s] = static_cast<std::uint8_t>(type);
    key ^= zobrist.piece[c][type][s];
}

void Board::remove(Color c, int type, Square s) {
    types[type] ^= bit(s);
    colors[c] ^= bit(s);
    squares[s] = no_piece;
    key ^= zobrist.piece[c][type][s];
}

void Board::set_hand(Color c, int type, int count) {
    key ^= zobrist.hand[c][type][hands[c][type]] ^ zobrist.hand[c][type][count];
    hands[c][type] = static_cast<std::uint8_t>(count);
}

void Board::apply(Move m) {
    const Color us = side();
    const Square to = to_square(m);
    if (m == declare_win) {
        declared = true;
        key ^= zobrist.declared;
    } else if (is_drop(m)) {
        const int type = origin(m) - drop_origin;
        set_hand(us, type, hands[us][type] - 1);
        put(us, type, to);
    } else {
        const int type = squares[origin(m)];
        if (const int taken = squares[to]; taken != no_piece) {
            remove(~us, taken, to);
            set_hand(us, unpromoted(taken), hands[us][unpromoted(taken)] + 1);
        }
        remove(us, type, origin(m));
        put(us, m & promoting ? type + promotion : type, to);
    }
    number = static_cast<std::uint16_t>(std::min(number + 1, max_move_number));
    turn ^= 1;
    key ^= zobrist.white_to_move;
}

std::uint64_t Board::compute_key() const {
    std::uint64_t result = 0;
    for (const Color c : {black, white}) {
        for (int type = 0; type < num_piece_types; ++type) {
            for_each(colors[c] & types[type], [&](Square s) { result ^= zobrist.piece[c][type][s]; });
        }
        for (int type = 0; type < num_hand_types; ++type) result ^= zobrist.hand[c][type][hands[c][type]];
    }
    if (turn == white) result ^= zobrist.white_to_move;
    if (declared) result ^= zobrist.declared;
    return result;
}

std::uint64_t Board::hash() const { return Random(key ^ number).next(); }

}  // namespace sparring::shogi
