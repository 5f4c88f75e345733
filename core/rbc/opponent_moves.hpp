// Generates the moves of the opponent as changes of the bits of a HiddenSide.
#pragma once

#include <optional>

#include "rbc/hidden.hpp"

namespace sparring::rbc {

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
