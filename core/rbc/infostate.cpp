#include "rbc/infostate.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "rbc/hidden.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

/// A uniform sample of the distinct sides that are added: those with the smallest salted hashes (a bottom-k
/// sketch). Repetitions do not count, and few sides are stored.
class BottomSample {
 public:
    BottomSample(std::size_t limit, std::uint64_t salt) : limit_(limit), salt_(salt) {
        kept_.reserve(4 * limit);
    }

    void operator()(const HiddenSide& side) {
        const std::uint64_t place = Random(side.hash() ^ salt_).next();
        if (place >= threshold_) return;
        kept_.push_back({place, side});
        if (kept_.size() == 4 * limit_) shrink();
    }

    /// The sample with `truth` in it.
    std::vector<HiddenSide> finish(const HiddenSide& truth) {
        shrink();
        std::vector<HiddenSide> result;
        result.reserve(limit_);
        for (const Entry& entry : kept_) result.push_back(entry.side);
        if (std::find(result.begin(), result.end(), truth) == result.end()) {
            if (result.size() == limit_) result.pop_back();
            result.push_back(truth);
        }
        return result;
    }

 private:
    struct Entry {
        std::uint64_t place;
        HiddenSide side;
        bool operator==(const Entry&) const = default;
        auto operator<=>(const Entry&) const = default;
    };

    void shrink() {
        std::sort(kept_.begin(), kept_.end());
        kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
        if (kept_.size() < limit_) return;
        kept_.resize(limit_);
        threshold_ = kept_.back().place;
    }

    const std::size_t limit_;
    const std::uint64_t salt_;
    std::uint64_t threshold_ = ~std::uint64_t{0};
    std::vector<Entry> kept_;
};

/// The squares on which the boards differ.
Bitboard differing(const std::vector<HiddenSide>& boards) {
    Bitboard differ = 0;
    const HiddenSide reference = boards.front().plain();
    for (const HiddenSide& board : boards) {
        const HiddenSide side = board.plain();
        differ |=
            (side.low ^ reference.low) | (side.middle ^ reference.middle) | (side.high ^ reference.high);
    }
    return differ;
}

/// The senses away from the edge that show a differing square and that no other such sense dominates. Senses
/// at the edge are always dominated.
void undominated(Bitboard differ, MoveList& list) {
    std::array<std::pair<Bitboard, Square>, 36> shown;
    std::size_t size = 0;
    for (int rank = 1; rank < 7; ++rank) {
        for (int file = 1; file < 7; ++file) {
            const Square s = rank * 8 + file;
            if (const Bitboard shows = window(s) & differ) shown[size++] = {shows, s};
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        const auto [shows, square] = shown[i];
        bool useful = true;
        for (std::size_t j = 0; useful && j < size; ++j) {
            const Bitboard theirs = shown[j].first;
            useful = i == j || (shows & ~theirs) || (theirs == shows && j > i);
        }
        if (useful) list.push(make_sense(square));
    }
}

bool is_queen_or_no_promotion(const KnownSide& known, Move request) {
    const bool last_rank = (bit(to_square(request)) & back_ranks) != 0;
    const bool promotes = last_rank && (known.types[pawn] & bit(from_square(request)));
    return promotes ? promotion(request) == queen : true;
}

}  // namespace

MoveOutcome MoveOutcome::of(const Board& board, Move request) {
    const Move taken = rbc::taken(board, request);
    return {request, taken, capture_square(board, taken)};
}

void Infostate::sense(Move action, const HiddenSide& truth) {
    const Bitboard shown = action == no_sense ? 0 : window(action - sense_base);
    const HiddenSide seen = truth.plain().only(shown);
    std::erase_if(boards_, [&](const HiddenSide& side) { return side.plain().only(shown) != seen; });
    context_.moving = true;
}

void Infostate::move(const MoveOutcome& outcome) {
    const auto& [request, result, captured] = outcome;
    Bitboard passing = 0;
    std::erase_if(boards_, [&](const HiddenSide& side) {
        const Board board = keyless_board(known_, side);
        if (taken(board, request) != result || capture_square(board, result) != captured) return true;
        passing |= side.passing_pawns();
        return false;
    });
    for (HiddenSide& side : boards_) side = after_own_move(side, captured);
    if (captured || passing) {  // boards may have become equal
        std::sort(boards_.begin(), boards_.end());
        boards_.erase(std::unique(boards_.begin(), boards_.end()), boards_.end());
    }
    known_ = known_.after_move(result);
    context_.moving = false;
    context_.last_from = result == pass ? std::nullopt : std::optional<Square>(from_square(result));
    context_.last_to = result == pass ? std::nullopt : std::optional<Square>(to_square(result));
    context_.last_own_capture = captured;
}

void Infostate::reply(std::optional<Square> captured, const HiddenSide& truth, std::size_t limit,
                      Random& random) {
    BottomSample sample(limit, random.next());
    for (const HiddenSide& side : boards_) {
        if (side.kings()) for_each_opponent_move(known_, side, captured, sample);
    }
    boards_ = sample.finish(truth);
    known_ = known_.after_opponent(captured);
    context_.moving = false;
    context_.last_opposing_capture = captured;
}

void Infostate::actions(MoveList& list) const {
    list.clear();
    if (context_.moving) {
        requests(keyless_board(known_, {}), list);
        list.filter([&](Move request) { return is_queen_or_no_promotion(known_, request); });
        list.push(pass);
        return;
    }
    undominated(differing(boards_), list);
    if (list.empty()) list.push(no_sense);
}

std::uint64_t Infostate::key() const {
    std::uint64_t sum = 0;
    for (const HiddenSide& side : boards_) sum += Random(side.hash()).next();
    std::uint64_t key = Random(sum ^ boards_.size() << 8).next();
    const auto add = [&key](std::uint64_t word) { key = Random(key ^ word).next(); };
    for (const Bitboard pieces : known_.types) add(pieces);
    add(static_cast<std::uint64_t>(known_.castling) | static_cast<std::uint64_t>(known_.en_passant + 1) << 8 |
        static_cast<std::uint64_t>(known_.player) << 16 | static_cast<std::uint64_t>(known_.turn) << 17 |
        static_cast<std::uint64_t>(context_.moving) << 18);
    return key;
}

Synopsis Infostate::synopsis() const {
    return compute_synopsis(known_, boards_, context_, previous_ ? &*previous_ : nullptr);
}

bool Infostate::wins() const {
    Bitboard kings = 0;
    for (const HiddenSide& side : boards_) kings |= side.kings();
    if (!kings || (context_.moving && (kings & (kings - 1)))) return false;
    Bitboard centres = ~Bitboard{0};  // of windows that show every king
    for (Bitboard left = kings; left && centres;) centres &= window(pop_lsb(left));
    if (!context_.moving && !centres) return false;
    std::array<Bitboard, 64> attackers;  // of the king on that square, on all its boards
    for (Bitboard left = kings; left;) attackers[static_cast<std::size_t>(pop_lsb(left))] = ~Bitboard{0};
    for (const HiddenSide& side : boards_) {
        if (!side.kings()) return false;
        const Square s = lsb(side.kings());
        const Bitboard occupied = known_.all() | side.all();
        const Bitboard diagonal = known_.types[bishop] | known_.types[queen];
        const Bitboard straight = known_.types[rook] | known_.types[queen];
        Bitboard& common = attackers[static_cast<std::size_t>(s)];
        common &= (pawn_attacks(known_.opponent(), s) & known_.types[pawn]) |
                  (knight_attacks(s) & known_.types[knight]) | (king_attacks(s) & known_.types[king]) |
                  (bishop_attacks(s, occupied) & diagonal) | (rook_attacks(s, occupied) & straight);
        if (!common) return false;
    }
    return true;
}

std::vector<HiddenSide> sample_with(const BoardSet& boards, const HiddenSide& truth, std::size_t limit,
                                    Random& random) {
    std::vector<HiddenSide> result;
    if (boards.size() <= limit) {
        result.assign(boards.hidden().begin(), boards.hidden().end());
    } else {
        for (const std::size_t i : boards.sample_indices(limit, random.next()))
            result.push_back(boards.hidden()[i]);
    }
    if (std::find(result.begin(), result.end(), truth) == result.end()) {
        if (result.size() >= limit) result.pop_back();
        result.push_back(truth);
    }
    return result;
}

}  // namespace sparring::rbc
