#include "rbc/synopsis.hpp"

#include <algorithm>

namespace sparring::rbc {

using namespace chess;

namespace {

/// The numbers of the planes, or of the first of a family in the table's order.
enum Number : std::size_t {
    constants = 0,
    stage = 10,
    not_own = 11,
    own = 12,
    surely_no_opponent = 18,
    surely_opponent = 19,
    maybe_no_opponent = 25,
    maybe_opponent = 26,
    last_from = 32,
    last_to,
    last_own_capture,
    last_opposing_capture,
    attack_by_one_piece,
    surely_attack,
    maybe_attack,
    attack_by_two_pieces,
    surely_attack_twice,
    maybe_attack_twice,
    surely_pawn_attack,
    maybe_pawn_attack,
    knight_attack,
    surely_bishop_attack,
    maybe_bishop_attack,
    surely_rook_attack,
    maybe_rook_attack,
    maybe_attack_without_king,
    maybe_attack_without_pawns,
    surely_attacked = 51,
    maybe_attacked,
    surely_attacked_twice,
    maybe_attacked_twice,
    attacked_by_type,  // pawns, knights, bishops and rooks, each surely and maybe
    maybe_attacked_without_king = 63,
    maybe_attacked_without_pawns,
    safe_king,
    opponent_moves,
    opponent_castles,
    known_squares,
    king_neighbours,
    knight_neighbours,
    surely_knights_near,
    maybe_knights_near,
    bishop_neighbours,
    surely_bishops_near,
    maybe_bishops_near,
    rook_neighbours,
    surely_rooks_near,
    maybe_rooks_near,
    all_own,
    surely_empty,
    castles_eventually,
    maybe_castles,
    surely_castles,
    queens_as_rooks,
    queens_as_bishops,
    previous_planes = 86,
};

constexpr std::size_t remembered = synopsis_size - previous_planes;  // planes of the turn before

/// Squares that are attacked, and those that are attacked twice.
struct Attacks {
    Bitboard once = 0, twice = 0;

    void add(Bitboard squares) {
        twice |= once & squares;
        once |= squares;
    }
};

Bitboard king_target(int home_rank, bool is_short) { return bit(home_rank * 8 + (is_short ? 6 : 2)); }

/// The synopsis as it grows, in the board's own coordinates.
class SynopsisBuilder {
 public:
    SynopsisBuilder(const KnownSide& known, const SynopsisContext& synopsis_context);
    void add(const HiddenSide& hidden);
    Synopsis finish(const Synopsis* previous);

 private:
    void both(std::size_t sure, Bitboard squares) { fold(sure, sure + 1, squares); }
    void fold(std::size_t sure, std::size_t possible, Bitboard squares) {
        planes_[sure] &= squares;
        planes_[possible] |= squares;
    }
    void add_pieces(const HiddenSide& hidden);
    void add_own_attacks(const HiddenSide& hidden, Bitboard occupied);
    void add_opposing_attacks(const HiddenSide& hidden, Bitboard occupied);
    void add_neighbours(const HiddenSide& hidden, Bitboard occupied);
    void add_castling(const HiddenSide& hidden, Bitboard occupied);

    const KnownSide& known_;
    const Bitboard own_;
    const Square king_;  // no_square once it is taken
    Attacks steady_;     // of the player's king and knights
    Bitboard steady_knights_ = 0, steady_king_ = 0;
    std::array<Bitboard, 64> by_piece_;  // what the player's piece on a square attacks on every board so far
    Synopsis planes_{};
};

SynopsisBuilder::SynopsisBuilder(const KnownSide& known, const SynopsisContext& synopsis_context)
    : known_(known),
      own_(known.all()),
      king_(known.types[king] ? lsb(known.types[king]) : Square{no_square}) {
    by_piece_.fill(~Bitboard{0});
    for (std::size_t i = 0; i < synopsis_size; ++i) {
        if (synopsis_planes[i].fold == Fold::every) planes_[i] = ~Bitboard{0};
    }
    planes_[stage] = synopsis_context.moving ? ~Bitboard{0} : 0;
    planes_[not_own] = ~own_;
    std::copy(known.types.begin(), known.types.end(), planes_.begin() + own);
    const auto square = [](std::optional<Square> s) { return s ? bit(*s) : 0; };
    planes_[last_from] = square(synopsis_context.last_from);
    planes_[last_to] = square(synopsis_context.last_to);
    planes_[last_own_capture] = square(synopsis_context.last_own_capture);
    planes_[last_opposing_capture] = square(synopsis_context.last_opposing_capture);
    for (Bitboard from = known.types[knight]; from;) {
        const Bitboard squares = knight_attacks(pop_lsb(from));
        steady_.add(squares);
        steady_knights_ |= squares;
    }
    if (king_ != no_square) {
        steady_king_ = king_attacks(king_);
        planes_[king_neighbours] = steady_king_;
        planes_[knight_neighbours] = knight_attacks(king_);
    }
    steady_.add(steady_king_);
    planes_[knight_attack] = steady_knights_;
    planes_[all_own] = own_;
    const int home_rank = known.player == white ? 0 : 7, shift = known.player == white ? 0 : 2;
    for (const bool is_short : {true, false}) {
        if (known.castling & (is_short ? white_short : white_long) << shift)
            planes_[castles_eventually] |= king_target(home_rank, is_short);
    }
}

void SynopsisBuilder::add(const HiddenSide& hidden) {
    const Bitboard occupied = own_ | hidden.all();
    add_pieces(hidden);
    add_own_attacks(hidden, occupied);
    add_opposing_attacks(hidden, occupied);
    add_neighbours(hidden, occupied);
    add_castling(hidden, occupied);
    planes_[surely_empty] &= ~occupied;
}

void SynopsisBuilder::add_pieces(const HiddenSide& hidden) {
    const std::array<Bitboard, 7> sets = {~hidden.all(),  hidden.pawns(),  hidden.knights(), hidden.bishops(),
                                          hidden.rooks(), hidden.queens(), hidden.kings()};
    for (std::size_t i = 0; i < sets.size(); ++i)
        fold(surely_no_opponent + i, maybe_no_opponent + i, sets[i]);
}

void SynopsisBuilder::add_own_attacks(const HiddenSide& hidden, Bitboard occupied) {
    Bitboard capture_targets = hidden.all();
    if (const Bitboard passing = hidden.passing_pawns())
        capture_targets |= known_.player == white ? passing << 8 : passing >> 8;
    Attacks attacks = steady_;
    Bitboard by_pawns = 0, by_bishops = 0, by_rooks = 0, queens_diagonal = 0, queens_straight = 0;
    for (Bitboard from = known_.types[pawn]; from;) {
        const Square s = pop_lsb(from);
        const Bitboard squares = pawn_attacks(known_.player, s) & capture_targets;
        by_piece_[static_cast<std::size_t>(s)] &= squares;
        by_pawns |= squares;
        attacks.add(squares);
    }
    const Bitboard queens = known_.types[queen];
    for (Bitboard from = known_.types[bishop] | known_.types[rook] | queens; from;) {
        const Square s = pop_lsb(from);
        const Bitboard one = bit(s);
        const Bitboard diagonal = one & known_.types[rook] ? 0 : bishop_attacks(s, occupied);
        const Bitboard straight = one & known_.types[bishop] ? 0 : rook_attacks(s, occupied);
        by_bishops |= diagonal;
        by_rooks |= straight;
        if (one & queens) {
            queens_diagonal |= diagonal;
            queens_straight |= straight;
        }
        by_piece_[static_cast<std::size_t>(s)] &= diagonal | straight;
        attacks.add(diagonal | straight);
    }
    both(surely_attack, attacks.once);
    both(surely_attack_twice, attacks.twice);
    both(surely_pawn_attack, by_pawns);
    both(surely_bishop_attack, by_bishops);
    both(surely_rook_attack, by_rooks);
    const Bitboard others = steady_knights_ | by_bishops | by_rooks;
    planes_[maybe_attack_without_king] |= others | by_pawns;
    planes_[maybe_attack_without_pawns] |= others | steady_king_;
    planes_[safe_king] |= hidden.kings() & ~attacks.once;
    planes_[queens_as_rooks] |= queens_straight;
    planes_[queens_as_bishops] |= queens_diagonal;
}

void SynopsisBuilder::add_opposing_attacks(const HiddenSide& hidden, Bitboard occupied) {
    const Bitboard pawns = hidden.pawns(), queens = hidden.queens();
    const bool is_white = known_.opponent() == white;
    const Bitboard west = is_white ? capture_west<white>(pawns) : capture_west<black>(pawns);
    const Bitboard east = is_white ? capture_east<white>(pawns) : capture_east<black>(pawns);
    Attacks attacks;
    attacks.add(west);
    attacks.add(east);
    Bitboard by_knights = 0, by_bishops = 0, by_rooks = 0, by_king = 0;
    for (Bitboard from = hidden.knights(); from;) {
        const Bitboard squares = knight_attacks(pop_lsb(from));
        by_knights |= squares;
        attacks.add(squares);
    }
    for (Bitboard from = hidden.bishops(); from;) {
        const Bitboard squares = bishop_attacks(pop_lsb(from), occupied);
        by_bishops |= squares;
        attacks.add(squares);
    }
    for (Bitboard from = hidden.rooks(); from;) {
        const Bitboard squares = rook_attacks(pop_lsb(from), occupied);
        by_rooks |= squares;
        attacks.add(squares);
    }
    for (Bitboard from = queens; from;) {
        const Square s = pop_lsb(from);
        const Bitboard diagonal = bishop_attacks(s, occupied), straight = rook_attacks(s, occupied);
        by_bishops |= diagonal;
        by_rooks |= straight;
        attacks.add(diagonal | straight);
    }
    for (Bitboard from = hidden.kings(); from;) by_king |= king_attacks(pop_lsb(from));
    attacks.add(by_king);
    both(surely_attacked, attacks.once);
    both(surely_attacked_twice, attacks.twice);
    const Bitboard by_pawns = west | east;
    const std::array<Bitboard, 4> by_type = {by_pawns, by_knights, by_bishops, by_rooks};
    for (std::size_t i = 0; i < by_type.size(); ++i) both(attacked_by_type + 2 * i, by_type[i]);
    const Bitboard others = by_knights | by_bishops | by_rooks;
    planes_[maybe_attacked_without_king] |= others | by_pawns;
    planes_[maybe_attacked_without_pawns] |= others | by_king;

    Bitboard capture_targets = own_;
    if (known_.en_passant != no_square) capture_targets |= bit(known_.en_passant);
    const Bitboard empty = ~occupied;
    const Bitboard steps = (is_white ? forward<white>(pawns) : forward<black>(pawns)) & empty;
    const Bitboard jumps =
        is_white ? forward<white>(steps & rank_mask(2)) : forward<black>(steps & rank_mask(5));
    planes_[opponent_moves] |=
        ((others | by_king) & ~hidden.all()) | (by_pawns & capture_targets) | steps | (jumps & empty);
}

void SynopsisBuilder::add_neighbours(const HiddenSide& hidden, Bitboard occupied) {
    const bool there = king_ != no_square;
    const Bitboard diagonal = there ? bishop_attacks(king_, occupied) : 0;
    const Bitboard straight = there ? rook_attacks(king_, occupied) : 0;
    planes_[bishop_neighbours] |= diagonal;
    planes_[rook_neighbours] |= straight;
    both(surely_knights_near, planes_[knight_neighbours] & hidden.knights());
    both(surely_bishops_near, diagonal & (hidden.bishops() | hidden.queens()));
    both(surely_rooks_near, straight & (hidden.rooks() | hidden.queens()));
}

void SynopsisBuilder::add_castling(const HiddenSide& hidden, Bitboard occupied) {
    const int home_rank = known_.player == white ? 0 : 7, their_rank = 7 - home_rank;
    Bitboard free = 0;
    for (const bool is_short : {true, false}) {
        const Bitboard target = king_target(home_rank, is_short);
        const Square home = home_rank * 8 + 4, their_home = their_rank * 8 + 4;
        if ((planes_[castles_eventually] & target) &&
            !(occupied & between(home, is_short ? home + 3 : home - 4)))
            free |= target;
        const Square rook = is_short ? their_home + 3 : their_home - 4;
        if (!(hidden.castling_rooks() & bit(rook))) continue;
        planes_[opponent_castles] |= king_target(their_rank, is_short);
        if (!(occupied & between(their_home, rook)))
            planes_[opponent_moves] |= king_target(their_rank, is_short);
    }
    fold(surely_castles, maybe_castles, free);
}

Synopsis SynopsisBuilder::finish(const Synopsis* previous) {
    Attacks lasting = steady_;
    for (Bitboard from = own_ & ~known_.types[knight] & ~known_.types[king]; from;)
        lasting.add(by_piece_[static_cast<std::size_t>(pop_lsb(from))]);
    planes_[attack_by_one_piece] = lasting.once;
    planes_[attack_by_two_pieces] = lasting.twice;
    planes_[known_squares] = planes_[surely_no_opponent];
    for (std::size_t t = 0; t < 6; ++t) planes_[known_squares] |= planes_[surely_opponent + t];
    if (known_.player == black) {
        for (Bitboard& plane : planes_) plane = __builtin_bswap64(plane);  // ranks turned over
    }
    if (previous)
        std::copy_n(previous->begin() + surely_no_opponent, remembered, planes_.begin() + previous_planes);
    const Bitboard east = 0xF0F0F0F0F0F0F0F0ULL, north = 0xFFFFFFFF00000000ULL;
    const std::array<Bitboard, 10> fixed = {east,           ~east,        ~north,       north,
                                            rank_mask(0),   rank_mask(7), file_mask(0), file_mask(7),
                                            ~light_squares, light_squares};
    std::copy(fixed.begin(), fixed.end(), planes_.begin() + constants);
    return planes_;
}

}  // namespace

Synopsis compute_synopsis(const KnownSide& known, std::span<const HiddenSide> boards,
                          const SynopsisContext& synopsis_context, const Synopsis* previous) {
    SynopsisBuilder builder(known, synopsis_context);
    for (const HiddenSide& hidden : boards) builder.add(hidden);
    return builder.finish(previous);
}

}  // namespace sparring::rbc
