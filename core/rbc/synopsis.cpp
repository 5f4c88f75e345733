#include "rbc/synopsis.hpp"

#include <algorithm>

#include "game/compiler.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

/// The numbers of the planes by their names in the table. A family of planes has the number of its first.
enum Number : std::size_t {
    constants = plane("East side"),  // 10 planes that never change
    stage = plane("Stage (move or sense)"),
    not_own = plane("Not own piece"),
    own = plane("Own pawns"),  // 6 planes by piece type
    surely_no_opponent = plane("Definitely not opposing pieces"),
    surely_opponent = plane("Definitely opposing pawns"),  // 6 planes by piece type
    maybe_no_opponent = plane("Possibly not opposing pieces"),
    maybe_opponent = plane("Possibly opposing pawns"),  // 6 planes by piece type
    last_from = plane("Last from"),
    last_to = plane("Last to"),
    last_own_capture = plane("Last own capture"),
    last_opposing_capture = plane("Last opposing capture"),
    attack_by_one_piece = plane("Definitely attackable"),
    surely_attack = plane("Definitely attackable somehow"),
    maybe_attack = plane("Possibly attackable"),
    attack_by_two_pieces = plane("Definitely doubly attackable"),
    surely_attack_twice = plane("Definitely doubly attackable somehow"),
    maybe_attack_twice = plane("Possibly doubly attackable"),
    surely_pawn_attack = plane("Definitely attackable by pawns"),
    maybe_pawn_attack = plane("Possibly attackable by pawns"),
    knight_attack = plane("Definitely attackable by knights"),
    surely_bishop_attack = plane("Definitely attackable by bishops"),
    maybe_bishop_attack = plane("Possibly attackable by bishops"),
    surely_rook_attack = plane("Definitely attackable by rooks"),
    maybe_rook_attack = plane("Possibly attackable by rooks"),
    maybe_attack_without_king = plane("Possibly attackable without king"),
    maybe_attack_without_pawns = plane("Possibly attackable without pawns"),
    surely_attacked = plane("Definitely attackable by opponent"),
    maybe_attacked = plane("Possibly attackable by opponent"),
    surely_attacked_twice = plane("Definitely doubly attackable by opp."),
    maybe_attacked_twice = plane("Possibly doubly attackable by opp."),
    attacked_by_type = plane(
        "Definitely attackable by opp. pawns"),  // pawns, knights, bishops and rooks, each surely and maybe
    maybe_attacked_without_king = plane("Possibly attackable by opp. w/o king"),
    maybe_attacked_without_pawns = plane("Possibly attackable by opp. w/o pawns"),
    safe_king = plane("Possibly safe opposing king"),
    opponent_moves = plane("Squares the opponent may move to"),
    opponent_castles = plane("Possible castle state for opponent"),
    known_squares = plane("Known squares"),
    king_neighbours = plane("Own king's king-neighbors"),
    knight_neighbours = plane("Own king's knight-neighbors"),
    surely_knights_near = plane("Definitely opp. knights near king"),
    maybe_knights_near = plane("Possibly opp. knights near king"),
    bishop_neighbours = plane("Own king's bishop-neighbors"),
    surely_bishops_near = plane("Definitely opp. bishops near king"),
    maybe_bishops_near = plane("Possibly opp. bishops near king"),
    rook_neighbours = plane("Own king's rook-neighbors"),
    surely_rooks_near = plane("Definitely opp. rooks near king"),
    maybe_rooks_near = plane("Possibly opp. rooks near king"),
    all_own = plane("All own pieces"),
    surely_empty = plane("Definitely empty squares"),
    castles_eventually = plane("May castle eventually"),
    maybe_castles = plane("Possibly may castle"),
    surely_castles = plane("Definitely may castle"),
    queens_as_rooks = plane("Own queens' rook-neighbors"),
    queens_as_bishops = plane("Own queens' bishop-neighbors"),
    previous_planes = plane("Previous definitely not opp. pieces"),  // the planes from surely_no_opponent to
                                                                     // last_opposing_capture, a turn ago
};

// `fold` and the families count on from their first plane in the table's order.
static_assert(constants == 0 && stage == constants + 10);
static_assert(plane("Own king") == own + 5 && plane("Definitely opposing king") == surely_opponent + 5 &&
              plane("Possibly opposing kings") == maybe_opponent + 5);
static_assert(surely_opponent == surely_no_opponent + 1 && maybe_opponent == maybe_no_opponent + 1);
static_assert(plane("Possibly attackable by opp. rooks") == attacked_by_type + 7);
static_assert(maybe_attack == surely_attack + 1 && maybe_attack_twice == surely_attack_twice + 1 &&
              maybe_pawn_attack == surely_pawn_attack + 1 &&
              maybe_bishop_attack == surely_bishop_attack + 1 &&
              maybe_rook_attack == surely_rook_attack + 1 && maybe_attacked == surely_attacked + 1 &&
              maybe_attacked_twice == surely_attacked_twice + 1 &&
              maybe_knights_near == surely_knights_near + 1 &&
              maybe_bishops_near == surely_bishops_near + 1 && maybe_rooks_near == surely_rooks_near + 1);
static_assert(plane("Previous opposing capture") == synopsis_size - 1 &&
              synopsis_size - previous_planes == last_opposing_capture + 1 - surely_no_opponent);

static_assert(std::tuple_size_v<RememberedPlanes> == synopsis_size - previous_planes);

/// Squares attacked at least once, and at least twice.
struct Attacks {
    Bitboard once = 0, twice = 0;

    void add(Bitboard squares) {
        twice |= once & squares;
        once |= squares;
    }
};

Bitboard king_target(int home_rank, bool is_short) { return bit(home_rank * 8 + (is_short ? 6 : 2)); }

/// Accumulates the synopsis board by board, in the coordinates of the board.
class SynopsisBuilder {
 public:
    SynopsisBuilder(const KnownSide& known, const SynopsisContext& synopsis_context);
    void add(const HiddenSide& hidden);
    Synopsis finish(const RememberedPlanes* previous);

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
    const Square king_;  // no_square if it was captured
    Attacks steady_;     // of the player's king and knights
    Bitboard steady_knights_ = 0, steady_king_ = 0;
    std::array<Bitboard, 64> by_piece_;  // squares that the player's piece attacks on every board so far
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

Synopsis SynopsisBuilder::finish(const RememberedPlanes* previous) {
    Attacks lasting = steady_;
    for (Bitboard from = own_ & ~known_.types[knight] & ~known_.types[king]; from;)
        lasting.add(by_piece_[static_cast<std::size_t>(pop_lsb(from))]);
    planes_[attack_by_one_piece] = lasting.once;
    planes_[attack_by_two_pieces] = lasting.twice;
    planes_[known_squares] = planes_[surely_no_opponent];
    for (std::size_t t = 0; t < 6; ++t) planes_[known_squares] |= planes_[surely_opponent + t];
    if (known_.player == black) {
        for (Bitboard& plane : planes_) plane = reversed_bytes(plane);  // reverses the ranks
    }
    if (previous) std::copy(previous->begin(), previous->end(), planes_.begin() + previous_planes);
    const Bitboard east = 0xF0F0F0F0F0F0F0F0ULL, north = 0xFFFFFFFF00000000ULL;
    const std::array<Bitboard, 10> fixed = {east,           ~east,        ~north,       north,
                                            rank_mask(0),   rank_mask(7), file_mask(0), file_mask(7),
                                            ~light_squares, light_squares};
    std::copy(fixed.begin(), fixed.end(), planes_.begin() + constants);
    return planes_;
}

}  // namespace

RememberedPlanes remembered_planes(const Synopsis& synopsis) {
    RememberedPlanes result;
    std::copy_n(synopsis.begin() + surely_no_opponent, result.size(), result.begin());
    return result;
}

Synopsis compute_synopsis(const KnownSide& known, std::span<const HiddenSide> boards,
                          const SynopsisContext& synopsis_context, const RememberedPlanes* previous) {
    SynopsisBuilder builder(known, synopsis_context);
    for (const HiddenSide& hidden : boards) builder.add(hidden);
    return builder.finish(previous);
}

}  // namespace sparring::rbc
