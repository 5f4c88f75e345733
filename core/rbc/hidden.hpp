// A board in two halves: the side of the player, which it knows, and the hidden side of the opponent. All
// possible boards share the known side, so a set stores the hidden sides only: 24 bytes a board.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "chess/board.hpp"
#include "rbc/position.hpp"

namespace sparring::rbc {

/// The side of the player.
struct KnownSide {
    std::array<Bitboard, 6> types{};  // its own pieces
    chess::Color player = chess::white;
    chess::Color turn = chess::white;
    std::uint8_t castling = 0;                  // own castling rights, as in Board
    std::int8_t en_passant = chess::no_square;  // en passant square of its own last double step
    std::uint16_t fullmove_number = 1;

    bool operator==(const KnownSide&) const = default;
    Bitboard all() const { return types[0] | types[1] | types[2] | types[3] | types[4] | types[5]; }
    chess::Color opponent() const { return ~player; }

    /// The known side after the opponent's move, without the captured piece.
    KnownSide after_opponent(std::optional<Square> captured) const;
    /// The known side after the player's own move or pass.
    KnownSide after_move(Move taken) const;
};

/// The pieces of the opponent: a 3-bit code for each square, 0 for an empty one. Code 7 is a rook with
/// castling rights on a back rank, else a pawn that has just made a double step. Equal bits are thus equal
/// boards, including castling rights and en passant.
struct HiddenSide {
    Bitboard low = 0, middle = 0, high = 0;

    enum Code : int {
        a_pawn = 1,
        a_knight = 2,
        a_bishop = 3,
        a_rook = 4,
        a_queen = 5,
        a_king = 6,
        special = 7
    };

    bool operator==(const HiddenSide&) const = default;
    auto operator<=>(const HiddenSide&) const = default;

    Bitboard all() const { return low | middle | high; }
    Bitboard specials() const { return low & middle & high; }
    Bitboard castling_rooks() const { return specials() & chess::back_ranks; }
    Bitboard passing_pawns() const { return specials() & ~chess::back_ranks; }
    Bitboard pawns() const { return (low & ~middle & ~high) | passing_pawns(); }
    Bitboard knights() const { return ~low & middle & ~high; }
    Bitboard bishops() const { return low & middle & ~high; }
    Bitboard rooks() const { return (~low & ~middle & high) | castling_rooks(); }
    Bitboard queens() const { return low & ~middle & high; }
    Bitboard kings() const { return ~low & middle & high; }

    /// The pieces without castling rights and en passant.
    HiddenSide plain() const {
        const Bitboard s = specials();
        return {low ^ (s & chess::back_ranks), middle ^ s, high ^ (s & ~chess::back_ranks)};
    }
    /// Adds or removes (xor) a piece on all these squares.
    HiddenSide toggled(int code, Bitboard squares) const {
        const auto part = [&](int i) { return code >> i & 1 ? squares : 0; };
        return {low ^ part(0), middle ^ part(1), high ^ part(2)};
    }
    HiddenSide without(Bitboard squares) const {
        return {low & ~squares, middle & ~squares, high & ~squares};
    }
    HiddenSide only(Bitboard squares) const { return {low & squares, middle & squares, high & squares}; }
    bool empty() const { return !all(); }

    std::uint64_t hash() const {
        std::uint64_t h = low * 0x9E3779B97F4A7C15ULL;
        h = (h ^ (h >> 32) ^ middle) * 0xBF58476D1CE4E5B9ULL;
        h = (h ^ (h >> 32) ^ high) * 0x94D049BB133111EBULL;
        return h ^ (h >> 29);
    }
};

/// The code of a piece type without special rights.
constexpr int hidden_code(int type) { return type + 1; }

KnownSide known_side(const Board& board, chess::Color player);
HiddenSide hidden_side(const Board& board, chess::Color player);

/// The hidden side after the player's move, without the captured piece and the right to capture en passant.
HiddenSide after_own_move(const HiddenSide& hidden, std::optional<Square> captured);

/// The board of both sides, without the Zobrist key.
Board keyless_board(const KnownSide& known, const HiddenSide& hidden);
/// The complete board. The halfmove clock, which is unknown, is 0.
Board whole_board(const KnownSide& known, const HiddenSide& hidden);

// The opponent's moves, as changes of the bits of a HiddenSide.

/// Calls `emit(HiddenSide)` for every possible hidden side after a move of the opponent `Them` that captured
/// on `captured`, or did not capture. Some are emitted more than once. The moves are those of `pseudo_legal`
/// and the pass; tests/belief compares both.
template <chess::Color Them, class Emit>
class OpponentMoves {
 public:
    OpponentMoves(const KnownSide& known, const HiddenSide& hidden, Emit& emit)
        : known_(known), hidden_(hidden), own_(known.all()), occupied_(own_ | hidden.all()), emit_(emit) {}

    void quiet() {
        emit_(hidden_);  // a pass, or a request that failed
        const Bitboard empty = ~occupied_;
        push_pawns(empty);
        for (Bitboard from = hidden_.knights(); from;) {
            const Square s = chess::pop_lsb(from);
            go(HiddenSide::a_knight, s, chess::knight_attacks(s) & empty);
        }
        for (Bitboard from = hidden_.bishops(); from;) {
            const Square s = chess::pop_lsb(from);
            go(HiddenSide::a_bishop, s, chess::bishop_attacks(s, occupied_) & empty);
        }
        for (Bitboard from = hidden_.rooks(); from;) {
            const Square s = chess::pop_lsb(from);
            go(HiddenSide::a_rook, s, chess::rook_attacks(s, occupied_) & empty);
        }
        for (Bitboard from = hidden_.queens(); from;) {
            const Square s = chess::pop_lsb(from);
            go(HiddenSide::a_queen, s,
               (chess::bishop_attacks(s, occupied_) | chess::rook_attacks(s, occupied_)) & empty);
        }
        for (Bitboard from = hidden_.kings(); from;) {
            const Square s = chess::pop_lsb(from);
            go_king(s, chess::king_attacks(s) & empty);
            castle(s);
        }
    }

    void captures(Square target) {
        const Bitboard diagonal = chess::bishop_attacks(target, occupied_);
        const Bitboard straight = chess::rook_attacks(target, occupied_), there = chess::bit(target);
        come(HiddenSide::a_knight, chess::knight_attacks(target) & hidden_.knights(), there);
        come(HiddenSide::a_bishop, diagonal & hidden_.bishops(), there);
        come(HiddenSide::a_rook, straight & hidden_.rooks(), there);
        come(HiddenSide::a_queen, (diagonal | straight) & hidden_.queens(), there);
        for (Bitboard from = chess::king_attacks(target) & hidden_.kings(); from;)
            go_king(chess::pop_lsb(from), there);
        for (Bitboard from = chess::pawn_attacks(us, target) & hidden_.pawns(); from;)
            go_pawn(chess::pop_lsb(from), there);
        if (known_.en_passant == chess::no_square || target != known_.en_passant - step) return;
        for (Bitboard from = chess::pawn_attacks(us, known_.en_passant) & hidden_.pawns(); from;)
            go_pawn(chess::pop_lsb(from), chess::bit(known_.en_passant));
    }

 private:
    static constexpr chess::Color us = Them == chess::white ? chess::black : chess::white;
    static constexpr int step = Them == chess::white ? 8 : -8;
    static constexpr Square home = Them == chess::white ? 4 : 60;  // of the king

    void go(int code, Square from, Bitboard targets) {
        const HiddenSide left = hidden_.without(chess::bit(from));
        while (targets) emit_(left.toggled(code, chess::bit(chess::pop_lsb(targets))));
    }

    void come(int code, Bitboard origins, Bitboard target) {
        while (origins) go(code, chess::pop_lsb(origins), target);
    }

    /// A king move ends castling rights.
    void go_king(Square from, Bitboard targets) {
        const HiddenSide left = hidden_.plain().without(chess::bit(from));
        while (targets) emit_(left.toggled(HiddenSide::a_king, chess::bit(chess::pop_lsb(targets))));
    }

    void go_pawn(Square from, Bitboard target) {
        const HiddenSide left = hidden_.without(chess::bit(from));
        if (!(target & chess::back_ranks)) {
            emit_(left.toggled(HiddenSide::a_pawn, target));
            return;
        }
        for (const int code :
             {HiddenSide::a_knight, HiddenSide::a_bishop, HiddenSide::a_rook, HiddenSide::a_queen})
            emit_(left.toggled(code, target));
    }

    void push_pawns(Bitboard empty) {
        constexpr Bitboard third_rank = Them == chess::white ? chess::rank_mask(2) : chess::rank_mask(5);
        const Bitboard single = chess::forward<Them>(hidden_.pawns()) & empty;
        const Bitboard twice = chess::forward<Them>(single & third_rank) & empty;
        for (Bitboard to = single; to;) {
            const Square s = chess::pop_lsb(to);
            go_pawn(s - step, chess::bit(s));
        }
        for (Bitboard to = twice; to;) {
            const Square s = chess::pop_lsb(to);
            emit_(hidden_.without(chess::bit(s - 2 * step)).toggled(HiddenSide::special, chess::bit(s)));
        }
    }

    void castle(Square king) {
        if (king != home) return;
        const Bitboard rooks = hidden_.castling_rooks();
        const auto castle_with = [&](Square rook, int towards) {
            if (!(rooks & chess::bit(rook)) || (occupied_ & chess::between(home, rook))) return;
            emit_(hidden_.plain()
                      .without(chess::bit(home) | chess::bit(rook))
                      .toggled(HiddenSide::a_king, chess::bit(home + 2 * towards))
                      .toggled(HiddenSide::a_rook, chess::bit(home + towards)));
        };
        castle_with(home + 3, 1);
        castle_with(home - 4, -1);
    }

    const KnownSide& known_;
    const HiddenSide& hidden_;
    const Bitboard own_, occupied_;
    Emit& emit_;
};

/// All replies of the opponent; see OpponentMoves.
template <class Emit>
void for_each_opponent_move(const KnownSide& known, const HiddenSide& hidden, std::optional<Square> captured,
                            Emit&& emit) {
    const auto run = [&](auto replies) { captured ? replies.captures(*captured) : replies.quiet(); };
    if (known.player == chess::white) {
        run(OpponentMoves<chess::black, std::remove_reference_t<Emit>>(known, hidden, emit));
    } else {
        run(OpponentMoves<chess::white, std::remove_reference_t<Emit>>(known, hidden, emit));
    }
}

}  // namespace sparring::rbc
