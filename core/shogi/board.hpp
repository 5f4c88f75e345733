// The shogi board as a plain value: pieces, hands, side to move, and a declared win.
#pragma once

#include <array>
#include <cstdint>

#include "game/move.hpp"
#include "shogi/bitboard.hpp"

namespace sparring::shogi {

/// Move code: to-square in bits 0-6; from-square, or 81 + kind for a drop, in 7-13; promotion in 14.
constexpr int drop_origin = 81;
constexpr Move promoting = 1 << 14;
constexpr Move make_move(Square from, Square to) { return static_cast<Move>(to | from << 7); }
constexpr Move make_drop(int type, Square to) { return make_move(drop_origin + type, to); }
constexpr Square to_square(Move m) { return m & 127; }
constexpr int origin(Move m) { return m >> 7 & 127; }
constexpr bool is_drop(Move m) { return origin(m) >= drop_origin; }

/// The declaration of a win by entering king, USI's `win`.
constexpr Move declare_win = make_move(drop_origin + num_hand_types, 0);
/// Every move code is below this.
constexpr int moves_bound = promoting + (drop_origin << 7);

constexpr std::uint8_t no_piece = num_piece_types;
/// The number of pieces of each hand type in a set.
constexpr std::array<int, num_hand_types> full_set = {18, 4, 4, 4, 2, 2, 4};
/// The largest move number: every text can be parsed again.
constexpr int max_move_number = 9999;

/// The type of a captured piece in hand.
constexpr int unpromoted(int type) { return type >= promotion ? type - promotion : type; }

/// The squares from which a piece of the type could not move: it must promote there and cannot be dropped.
constexpr Bitboard dead_end(Color c, int type) {
    if (type == pawn || type == lance) return last_ranks(c, 1);
    if (type == knight) return last_ranks(c, 2);
    return {};
}

struct Board {
    std::array<Bitboard, num_piece_types> types{};  // both colours
    std::array<Bitboard, 2> colors{};
    std::array<std::uint8_t, num_squares> squares = all_empty();  // the Kind on each, or no_piece
    std::array<std::array<std::uint8_t, num_hand_types>, 2> hands{};
    std::uint8_t turn = black;
    bool declared = false;     // the side that just moved declared a win
    std::uint16_t number = 1;  // of the next move
    std::uint64_t key = 0;     // Zobrist key of pieces, hands, side and declaration

    bool operator==(const Board&) const = default;

    Color side() const { return static_cast<Color>(turn); }
    Bitboard occupied() const { return colors[black] | colors[white]; }
    Bitboard golds() const {
        return types[gold] | types[tokin] | types[promoted_lance] | types[promoted_knight] |
               types[promoted_silver];
    }
    Square king_of(Color c) const { return lsb(colors[c] & types[king]); }

    /// The pieces of `by` that attack the square; `occupied` blocks sliders.
    Bitboard attackers(Square s, Color by, Bitboard occupied) const;
    /// Whether the king of the side to move is attacked.
    bool in_check() const { return bool(attackers(king_of(side()), ~side(), occupied())); }
    /// Whether a pawn of the side to move, dropped in front of the other king, mates it.
    bool pawn_drop_mates(Square to) const;
    /// Whether `c` may declare a win by the 27-point rule, were it to move and not in check.
    bool meets_declaration_rule(Color c) const;

    /// Plays a pseudo-legal move.
    void apply(Move m);

    void put(Color c, int type, Square s);
    void set_hand(Color c, int type, int count);
    std::uint64_t compute_key() const;
    /// The key combined with the move number: equal boards have equal hashes.
    std::uint64_t hash() const;

 private:
    static constexpr std::array<std::uint8_t, num_squares> all_empty() {
        std::array<std::uint8_t, num_squares> result{};
        result.fill(no_piece);
        return result;
    }
    void remove(Color c, int type, Square s);
};

}  // namespace sparring::shogi
