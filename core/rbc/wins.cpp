#include "rbc/wins.hpp"

#include <algorithm>
#include <numeric>

#include "game/parallel.hpp"
#include "rbc/senses.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

/// On one board: the opponent's king, and the player's pieces that attack it.
struct Hunt {
    Bitboard hunters = 0;
    Square king = 0;
};

std::vector<Hunt> hunts(const Boards& boards) {
    std::vector<Hunt> result;
    result.reserve(boards.size());
    for (const HiddenSide& side : boards.hidden()) {
        Hunt hunt;
        if (const Bitboard kings = side.kings()) {
            const Board board = keyless_board(boards.known(), side);
            hunt.king = first(kings);
            hunt.hunters = board.attackers(hunt.king, boards.known().player, board.occupied());
        }
        result.push_back(hunt);
    }
    return result;
}

/// On how many boards the piece of a square attacks the king on another.
class Tally {
 public:
    explicit Tally(const KnownSide& known)
        : sliders_(known.types[bishop] | known.types[rook] | known.types[queen]) {}

    void add(const Hunt& hunt) {
        for (Bitboard from = hunt.hunters; from;) {
            std::uint32_t& count = at(pop(from), hunt.king);
            if (!count++) touched_.push_back(&count);
        }
    }
    void clear() {
        for (std::uint32_t* count : touched_) *count = 0;
        touched_.clear();
    }

    /// The boards on which a request from one square to another captures the king. A slider takes what it
    /// meets first, so that a long request captures every king on its way that it attacks.
    std::uint32_t captures(Square from, Square to) const {
        std::uint32_t total = at(from, to);
        if (sliders_ & bit(from)) {
            for (Bitboard way = between(from, to); way;) total += at(from, pop(way));
        }
        return total;
    }

    bool empty() const { return touched_.empty(); }

 private:
    std::uint32_t& at(Square from, Square to) { return counts_[static_cast<std::size_t>(from * 64 + to)]; }
    const std::uint32_t& at(Square from, Square to) const {
        return counts_[static_cast<std::size_t>(from * 64 + to)];
    }

    std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(64 * 64);
    std::vector<std::uint32_t*> touched_;
    Bitboard sliders_;
};

MoveList requests_of(const Boards& boards) {
    MoveList list;
    requests(keyless_board(boards.known(), {}), list);
    return list;
}

/// The boards on which the best request captures the king.
std::uint32_t best(const Tally& tally, const MoveList& list) {
    std::uint32_t most = 0;
    if (tally.empty()) return most;
    for (const Move request : list)
        most = std::max(most, tally.captures(from_square(request), to_square(request)));
    return most;
}

/// The places of the boards, those of one part of a partition after those of another.
struct Sorted {
    std::vector<std::uint32_t> order, ends;

    explicit Sorted(const std::vector<std::uint32_t>& parts) : order(parts.size()) {
        for (const std::uint32_t part : parts) {
            if (part >= ends.size()) ends.resize(part + 1);
            ++ends[part];
        }
        std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0u);
        for (std::uint32_t i = 0; i < parts.size(); ++i) order[ends[parts[i]]++] = i;
    }
};

std::uint32_t wins_of_sense(const Boards& boards, const std::vector<Hunt>& all, const MoveList& list,
                            Square centre) {
    const Sorted sorted(partition(boards, centre));
    Tally tally(boards.known());
    std::uint32_t wins = 0, begin = 0;
    for (const std::uint32_t end : sorted.ends) {
        for (std::uint32_t i = begin; i < end; ++i) tally.add(all[sorted.order[i]]);
        wins += best(tally, list);
        tally.clear();
        begin = end;
    }
    return wins;
}

}  // namespace

std::vector<KingCapture> king_captures(const Boards& boards) {
    Tally tally(boards.known());
    for (const Hunt& hunt : hunts(boards)) tally.add(hunt);
    std::vector<KingCapture> result;
    for (const Move request : requests_of(boards)) {
        const std::uint32_t count = tally.captures(from_square(request), to_square(request));
        if (count) result.push_back({request, count});
    }
    std::sort(result.begin(), result.end(), [](const KingCapture& a, const KingCapture& b) {
        return a.boards != b.boards ? a.boards > b.boards : a.request < b.request;
    });
    return result;
}

std::array<std::uint32_t, 64> wins_after_sense(const Boards& boards, unsigned threads) {
    const std::vector<Hunt> all = hunts(boards);
    const MoveList list = requests_of(boards);
    std::array<std::uint32_t, 64> result{};
    in_parallel(64, 1, boards.size() < 1024 ? 1 : threads, [&](std::size_t centre, std::size_t) {
        result[centre] = wins_of_sense(boards, all, list, static_cast<Square>(centre));
    });
    return result;
}

std::array<std::uint32_t, 64> threats(const Boards& boards) {
    const KnownSide& known = boards.known();
    const Bitboard own = known.all();
    std::array<std::uint32_t, 64> result{};
    const Square passing = known.en_passant == no_square
                               ? Square{no_square}
                               : known.en_passant + (known.player == white ? 8 : -8);
    for (const HiddenSide& side : boards.hidden()) {
        const Board board = keyless_board(known, side);
        for (Bitboard pieces = own; pieces;) {
            const Square s = pop(pieces);
            const bool in_passing =
                s == passing && (pawn_attacks(known.player, known.en_passant) & side.pawns());
            result[static_cast<std::size_t>(s)] +=
                in_passing || board.attackers(s, known.opponent(), board.occupied());
        }
    }
    return result;
}

bool wins_whatever_comes(const Boards& boards, unsigned threads) {
    const KnownSide& known = boards.known();
    if (!boards.size() || !known.types[king]) return false;
    if (threats(boards)[static_cast<std::size_t>(first(known.types[king]))]) return false;
    const auto wins = [&](std::optional<Square> captured) {
        const Boards next = boards.after_opponent(captured, {}, Effort{.threads = threads});
        const auto found = wins_after_sense(next, threads);
        return !next.size() || *std::max_element(found.begin(), found.end()) == next.size();
    };
    if (!wins(std::nullopt)) return false;
    for (Bitboard pieces = known.all(); pieces;) {
        if (!wins(pop(pieces))) return false;
    }
    return true;
}

}  // namespace sparring::rbc
