#include "rbc/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "game/parallel.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

/// The result of a sense as a number: the 3-bit codes of its nine squares.
using WindowBits = std::uint32_t;

/// The inner centre whose window contains the window of this sense.
Square inner(Square centre) {
    return std::clamp(rank_of(centre), 1, 6) * 8 + std::clamp(file_of(centre), 1, 6);
}

/// The nine bits of a window, lowest rank first.
WindowBits nine(Bitboard squares, Square centre) {
    const Bitboard rows = squares >> (centre - 9);
    return static_cast<WindowBits>((rows & 7) | (rows >> 5 & 070) | (rows >> 10 & 0700));
}

WindowBits view(const HiddenSide& plain, Square centre) {
    return nine(plain.low, centre) | nine(plain.middle, centre) << 9 | nine(plain.high, centre) << 18;
}

/// The bits of the result of an inner sense that a sense at the edge shows, too.
WindowBits shown_bits(Square centre) {
    const WindowBits squares = nine(window(centre), inner(centre));
    return squares | squares << 9 | squares << 18;
}

/// Counts of results: open addressing, at most half full.
class ViewCounts {
 public:
    struct Entry {
        WindowBits view;
        std::uint32_t count;  // 0: free
        std::uint32_t number;
    };

    /// Counts a result and returns its index by first occurrence.
    std::uint32_t add(WindowBits view, std::uint32_t count) {
        if (2 * (size_ + 1) > entries_.size()) grow();
        Entry& entry = find(view);
        if (!entry.count) entry = {view, 0, size_++};
        entry.count += count;
        return entry.number;
    }
    const std::vector<Entry>& entries() const { return entries_; }

 private:
    Entry& find(WindowBits view) {
        const std::size_t mask = entries_.size() - 1;
        std::size_t i = (view * 0x9E3779B97F4A7C15ULL >> 32) & mask;
        while (entries_[i].count && entries_[i].view != view) i = (i + 1) & mask;
        return entries_[i];
    }
    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        for (const Entry& entry : old) {
            if (entry.count) find(entry.view) = entry;
        }
    }

    std::vector<Entry> entries_ = std::vector<Entry>(64);
    std::uint32_t size_ = 0;
};

SenseValue value_of(const ViewCounts& counts, double boards) {
    SenseValue value;
    for (const auto& [view, count, number] : counts.entries()) {
        if (!count) continue;
        const double share = count / boards;
        value.expected_size += count * share;
        value.entropy -= share * std::log2(share);
        value.parts += 1;
        value.largest = std::max(value.largest, count);
    }
    return value;
}

/// The squares on which the boards differ.
Bitboard differing(const BoardSet& boards) {
    Bitboard differ = 0;
    if (boards.hidden().empty()) return differ;
    const HiddenSide reference = boards.hidden()[0].plain();
    for (const HiddenSide& board : boards.hidden()) {
        const HiddenSide side = board.plain();
        differ |=
            (side.low ^ reference.low) | (side.middle ^ reference.middle) | (side.high ^ reference.high);
    }
    return differ;
}

}  // namespace

std::array<SenseValue, 64> sense_values(const BoardSet& boards, unsigned threads) {
    std::array<SenseValue, 64> values{};
    const auto sides = boards.hidden();
    if (sides.empty()) return values;
    const auto count = static_cast<double>(sides.size());
    parallel_for(64, 1, sides.size() < 4096 ? 1 : threads, [&](std::size_t i, std::size_t) {
        const auto centre = static_cast<Square>(i);
        if (inner(centre) != centre) return;
        ViewCounts counts;
        for (const HiddenSide& side : sides) counts.add(view(side.plain(), centre), 1);
        values[i] = value_of(counts, count);
        // A sense at the edge shows a part of this window: its partition is coarser.
        for (Square s = 0; s < 64; ++s) {
            if (s == centre || inner(s) != centre) continue;
            ViewCounts coarser;
            for (const auto& entry : counts.entries()) {
                if (entry.count) coarser.add(entry.view & shown_bits(s), entry.count);
            }
            values[static_cast<std::size_t>(s)] = value_of(coarser, count);
        }
    });
    return values;
}

std::vector<Square> undominated_senses(const BoardSet& boards) {
    const Bitboard differ = differing(boards);
    std::vector<Square> result;
    for (Square s = 0; s < 64; ++s) {
        const Bitboard shows = window(s) & differ;
        const auto dominates = [&](Square other) {
            const Bitboard theirs = window(other) & differ;
            const bool more = (shows & ~theirs) == 0 && other != s;
            // Of two equivalent senses the one with the larger window is kept, then the first.
            const auto rank = [](Square square) { return std::pair(-std::popcount(window(square)), square); };
            return more && (theirs != shows || rank(other) < rank(s));
        };
        bool useful = shows != 0;
        for (Square other = 0; useful && other < 64; ++other) useful = !dominates(other);
        if (useful) result.push_back(s);
    }
    return result;
}

std::vector<std::uint32_t> partition(const BoardSet& boards, Square centre) {
    ViewCounts counts;
    const Square middle = inner(centre);
    const WindowBits shown = shown_bits(centre);
    std::vector<std::uint32_t> result;
    result.reserve(boards.size());
    for (const HiddenSide& side : boards.hidden()) {
        result.push_back(counts.add(view(side.plain(), middle) & shown, 1));
    }
    return result;
}

// Forced wins.

namespace {

/// The opponent's king on a board, and the player's pieces that attack it.
struct KingAttack {
    Bitboard attacker_squares = 0;
    Square king = 0;
};

std::vector<KingAttack> find_king_attacks(const BoardSet& boards) {
    std::vector<KingAttack> result;
    result.reserve(boards.size());
    for (const HiddenSide& side : boards.hidden()) {
        KingAttack king_attack;
        if (const Bitboard kings = side.kings()) {
            const Board board = keyless_board(boards.known(), side);
            king_attack.king = lsb(kings);
            king_attack.attacker_squares =
                board.attackers(king_attack.king, boards.known().player, board.occupied());
        }
        result.push_back(king_attack);
    }
    return result;
}

/// The number of boards on which the piece of one square attacks the king on another.
class KingCaptureCounts {
 public:
    explicit KingCaptureCounts(const KnownSide& known)
        : sliders_(known.types[bishop] | known.types[rook] | known.types[queen]) {}

    void add(const KingAttack& king_attack) {
        for (Bitboard from = king_attack.attacker_squares; from;) {
            std::uint32_t& count = at(pop_lsb(from), king_attack.king);
            if (!count++) touched_.push_back(&count);
        }
    }
    void clear() {
        for (std::uint32_t* count : touched_) *count = 0;
        touched_.clear();
    }

    /// The number of boards on which a request captures the king. A slider captures the first piece on its
    /// way, so a long request captures every attacked king on its line.
    std::uint32_t captures(Square from, Square to) const {
        std::uint32_t total = at(from, to);
        if (sliders_ & bit(from)) {
            for (Bitboard way = between(from, to); way;) total += at(from, pop_lsb(way));
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

MoveList requests_of(const BoardSet& boards) {
    MoveList list;
    requests(keyless_board(boards.known(), {}), list);
    return list;
}

/// The number of boards on which the best request captures the king.
std::uint32_t best(const KingCaptureCounts& counts, const MoveList& list) {
    std::uint32_t most = 0;
    if (counts.empty()) return most;
    for (const Move request : list)
        most = std::max(most, counts.captures(from_square(request), to_square(request)));
    return most;
}

/// The indices of the boards, ordered by the parts of a partition.
struct BoardsByPart {
    std::vector<std::uint32_t> order, ends;

    explicit BoardsByPart(const std::vector<std::uint32_t>& parts) : order(parts.size()) {
        for (const std::uint32_t part : parts) {
            if (part >= ends.size()) ends.resize(part + 1);
            ++ends[part];
        }
        std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0u);
        for (std::uint32_t i = 0; i < parts.size(); ++i) order[ends[parts[i]]++] = i;
    }
};

std::uint32_t wins_of_sense(const BoardSet& boards, const std::vector<KingAttack>& all, const MoveList& list,
                            Square centre) {
    const BoardsByPart sorted(partition(boards, centre));
    KingCaptureCounts counts(boards.known());
    std::uint32_t wins = 0, begin = 0;
    for (const std::uint32_t end : sorted.ends) {
        for (std::uint32_t i = begin; i < end; ++i) counts.add(all[sorted.order[i]]);
        wins += best(counts, list);
        counts.clear();
        begin = end;
    }
    return wins;
}

}  // namespace

std::vector<KingCapture> king_captures(const BoardSet& boards) {
    KingCaptureCounts counts(boards.known());
    for (const KingAttack& king_attack : find_king_attacks(boards)) counts.add(king_attack);
    std::vector<KingCapture> result;
    for (const Move request : requests_of(boards)) {
        const std::uint32_t count = counts.captures(from_square(request), to_square(request));
        if (count) result.push_back({request, count});
    }
    std::sort(result.begin(), result.end(), [](const KingCapture& a, const KingCapture& b) {
        return a.boards != b.boards ? a.boards > b.boards : a.request < b.request;
    });
    return result;
}

std::array<std::uint32_t, 64> wins_after_sense(const BoardSet& boards, unsigned threads) {
    const std::vector<KingAttack> all = find_king_attacks(boards);
    const MoveList list = requests_of(boards);
    std::array<std::uint32_t, 64> result{};
    parallel_for(64, 1, boards.size() < 1024 ? 1 : threads, [&](std::size_t centre, std::size_t) {
        result[centre] = wins_of_sense(boards, all, list, static_cast<Square>(centre));
    });
    return result;
}

std::array<std::uint32_t, 64> threats(const BoardSet& boards) {
    const KnownSide& known = boards.known();
    const Bitboard own = known.all();
    std::array<std::uint32_t, 64> result{};
    const Square passing = known.en_passant == no_square
                               ? Square{no_square}
                               : known.en_passant + (known.player == white ? 8 : -8);
    for (const HiddenSide& side : boards.hidden()) {
        const Board board = keyless_board(known, side);
        for (Bitboard pieces = own; pieces;) {
            const Square s = pop_lsb(pieces);
            const bool in_passing =
                s == passing && (pawn_attacks(known.player, known.en_passant) & side.pawns());
            result[static_cast<std::size_t>(s)] +=
                in_passing || board.attackers(s, known.opponent(), board.occupied());
        }
    }
    return result;
}

bool is_forced_win(const BoardSet& boards, unsigned threads) {
    const KnownSide& known = boards.known();
    if (!boards.size() || !known.types[king]) return false;
    if (threats(boards)[static_cast<std::size_t>(lsb(known.types[king]))]) return false;
    const auto wins = [&](std::optional<Square> captured) {
        const BoardSet next = boards.after_opponent(captured, {}, ExpansionLimits{.threads = threads});
        const auto wins_by_sense = wins_after_sense(next, threads);
        return !next.size() || *std::max_element(wins_by_sense.begin(), wins_by_sense.end()) == next.size();
    };
    if (!wins(std::nullopt)) return false;
    for (Bitboard pieces = known.all(); pieces;) {
        if (!wins(pop_lsb(pieces))) return false;
    }
    return true;
}

}  // namespace sparring::rbc
