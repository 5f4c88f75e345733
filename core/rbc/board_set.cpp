#include "rbc/board_set.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "game/parallel.hpp"
#include "game/random.hpp"
#include "rbc/opponent_moves.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

constexpr std::size_t block = 1024;  // boards per unit of parallel work

/// The result of a sense as masks of the hidden side.
struct SenseConstraint {
    Bitboard squares = 0;
    HiddenSide shown;
    bool possible = true;  // false if it contradicts the player's own pieces

    SenseConstraint(const KnownSide& known, const std::vector<SensedSquare>& seen) {
        constexpr std::string_view symbols = "PNBRQKpnbrqk";
        for (const auto& [square, symbol] : seen) {
            squares |= bit(square);
            const auto found = symbol ? symbols.find(symbol) : std::string_view::npos;
            const bool own = found != std::string_view::npos && static_cast<int>(found / 6) == known.player;
            for (std::size_t t = 0; t < 6; ++t) {
                const bool has = known.types[t] & bit(square);
                if (has != (own && found % 6 == t)) possible = false;
            }
            if (symbol && found == std::string_view::npos) possible = false;
            if (found != std::string_view::npos && !own)
                shown = shown.toggled(hidden_code(static_cast<int>(found % 6)), bit(square));
        }
    }

    bool fits(const HiddenSide& hidden) const { return hidden.plain().only(squares) == shown; }
};

/// A Bloom filter: rejects most boards that are not in a set.
class BloomFilter {
 public:
    explicit BloomFilter(std::span<const HiddenSide> sides)
        : bits_(std::bit_ceil(std::max<std::size_t>(64, sides.size() * 16)) / 64) {
        for (const HiddenSide& side : sides) word(side.hash()) |= bit(side.hash() & 63);
    }
    bool may_contain(const HiddenSide& side) const {
        const std::uint64_t hash = side.hash();
        return bits_[hash >> 6 & (bits_.size() - 1)] >> (hash & 63) & 1;
    }

 private:
    std::uint64_t& word(std::uint64_t hash) { return bits_[hash >> 6 & (bits_.size() - 1)]; }
    std::vector<std::uint64_t> bits_;
};

bool can_request(const KnownSide& known, Move request) {
    MoveList list;
    requests(keyless_board(known, {}), list);
    return request == pass || list.contains(request);
}

}  // namespace

BoardSet::BoardSet(const std::vector<Board>& boards, Color player) {
    if (boards.empty()) throw std::invalid_argument("a set needs at least one board to begin with");
    known_ = known_side(boards[0], player);
    BoardSetBuilder builder(boards.size(), 0, boards.size());
    BoardSetBuilder::LocalBuffer local(builder);
    for (const Board& board : boards) {
        KnownSide known = known_side(board, player);
        known.fullmove_number = known_.fullmove_number;
        if (known != known_)
            throw std::invalid_argument(
                "the boards differ in what the player knows: its own pieces, the turn");
        local(hidden_side(board, player));
    }
    local.flush();
    data_ = builder.finish(1);
}

bool BoardSet::contains(const Board& board) const {
    KnownSide known = known_side(board, known_.player);
    known.fullmove_number = known_.fullmove_number;
    return known == known_ && contains(hidden_side(board, known_.player));
}

std::optional<std::size_t> BoardSet::index(const HiddenSide& hidden) const {
    const std::size_t run = run_of(hidden.hash());
    const auto begin = data_.sides.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(data_.runs[run + 1]);
    const auto found = std::lower_bound(begin + static_cast<std::ptrdiff_t>(data_.runs[run]), end, hidden);
    if (found == end || *found != hidden) return std::nullopt;
    return static_cast<std::size_t>(found - begin);
}

BoardSet BoardSet::common(const BoardSet& other) const {
    if (known_.player == other.known_.player) {
        KnownSide known = other.known_;
        known.fullmove_number = known_.fullmove_number;
        return filtered([&](const HiddenSide& side) { return known == known_ && other.contains(side); });
    }
    // The one candidate has the pieces that each player knows.
    const HiddenSide theirs = hidden_side(keyless_board(other.known_, {}), known_.player);
    const HiddenSide ours = hidden_side(keyless_board(known_, {}), other.known_.player);
    const bool shared = known_.turn == other.known_.turn && other.contains(ours);
    return filtered([&](const HiddenSide& side) { return shared && side == theirs; });
}

BoardSet BoardSet::united(const BoardSet& other) const {
    KnownSide known = other.known_;
    known.fullmove_number = known_.fullmove_number;
    if (known != known_) throw std::invalid_argument("the sets differ in what the player knows");
    BoardSetBuilder builder(size() + other.size(), 0, size() + other.size());
    BoardSetBuilder::LocalBuffer local(builder);
    for (const auto& sides : {hidden(), other.hidden()}) {
        for (const HiddenSide& side : sides) local(side);
    }
    local.flush();
    return BoardSet(known_, builder.finish(1));
}

void BoardSet::require_turn(Color whose) const {
    if (known_.turn == whose) return;
    throw std::invalid_argument(whose == known_.player ? "it is the opponent's turn, not the player's"
                                                       : "it is the player's turn, not the opponent's");
}

/// The sides for which `keep` holds, in order. Runs are processed in parallel.
template <class Keep>
BoardSet BoardSet::filtered(Keep keep, unsigned threads) const {
    const auto& [sides, runs, level] = data_;
    std::vector<std::uint8_t> stays(size());
    BoardSetData result;
    result.level = level;
    parallel_for(run_count, 1, size() < block ? 1 : threads,
                 [&, &sides = sides, &runs = runs](std::size_t run, std::size_t) {
                     for (std::size_t i = runs[run]; i < runs[run + 1]; ++i) {
                         stays[i] = keep(sides[i]);
                         result.runs[run + 1] += stays[i];
                     }
                 });
    std::partial_sum(result.runs.begin(), result.runs.end(), result.runs.begin());
    result.sides.reserve(result.runs.back());
    for (std::size_t i = 0; i < size(); ++i) {
        if (stays[i]) result.sides.push_back(sides[i]);
    }
    return BoardSet(known_, std::move(result));
}

BoardSet BoardSet::after_opponent(std::optional<Square> captured, const std::vector<SensedSquare>& seen,
                                  const ExpansionLimits& limits) const {
    require_turn(known_.opponent());
    const KnownSide next = known_.after_opponent(captured);
    const SenseConstraint constraint(next, seen);
    if (!constraint.possible || (captured && !(known_.all() & bit(*captured)))) return BoardSet(next, {});
    BoardSetBuilder builder(limits.limit, limits.salt, seen.empty() && !captured ? 4 * size() : size() / 4);
    parallel_for(size(), block, limits.threads, [&](std::size_t begin, std::size_t end) {
        BoardSetBuilder::LocalBuffer local(builder);
        for (std::size_t i = begin; i < end; ++i) {
            const HiddenSide& side = data_.sides[i];
            if (!side.kings()) continue;
            for_each_opponent_move(known_, side, captured, [&](const HiddenSide& reply) {
                if (constraint.fits(reply)) local(reply);
            });
        }
        local.flush();
    });
    return BoardSet(next, builder.finish(limits.threads));
}

BoardSet BoardSet::after_sense(const std::vector<SensedSquare>& seen) const {
    const SenseConstraint constraint(known_, seen);
    return filtered([&](const HiddenSide& side) { return constraint.possible && constraint.fits(side); });
}

/// A predicate: whether a request has this result on a board.
auto BoardSet::with_result(Move request, Move result, std::optional<Square> captured) const {
    require_turn(known_.player);
    const bool possible = can_request(known_, request);
    return [=, this](const HiddenSide& side) {
        if (!possible) return false;
        const Board board = keyless_board(known_, side);
        return taken(board, request) == result && capture_square(board, result) == captured;
    };
}

BoardSet BoardSet::before_move(Move request, Move result, std::optional<Square> captured) const {
    return filtered(with_result(request, result, captured));
}

BoardSet BoardSet::after_move(Move request, Move result, std::optional<Square> captured) const {
    const auto fits = with_result(request, result, captured);
    BoardSetBuilder builder(size(), 0, size());
    BoardSetBuilder::LocalBuffer local(builder);
    for (const HiddenSide& side : data_.sides) {
        if (fits(side)) local(after_own_move(side, captured));
    }
    local.flush();
    BoardSetData data = builder.finish(1);
    if (data.sides.empty()) return BoardSet(known_, {});
    return BoardSet(known_.after_move(result), std::move(data));
}

BoardSet BoardSet::leading_to(const BoardSet& later, Move result, std::optional<Square> captured,
                              std::optional<Square> lost, unsigned threads) const {
    require_turn(known_.player);
    if (!can_request(known_, result)) throw std::invalid_argument("the player cannot have made that move");
    const KnownSide moved = known_.after_move(result);
    if (lost && !(moved.all() & bit(*lost))) return BoardSet(known_, {});
    const BloomFilter filter(later.hidden());
    return filtered(
        [&](const HiddenSide& side) {
            bool found = false;
            const HiddenSide next = after_own_move(side, captured);
            if (!next.kings()) return false;
            for_each_opponent_move(moved, next, lost, [&](const HiddenSide& reply) {
                found = found || (filter.may_contain(reply) && later.contains(reply));
            });
            return found;
        },
        threads);
}

BoardSet BoardSet::with_king_attacked() const {
    const Bitboard kings = known_.types[king];
    return filtered([&](const HiddenSide& side) {
        const Board board = keyless_board(known_, side);
        return kings && board.attackers(lsb(kings), known_.opponent(), board.occupied());
    });
}

BoardSet BoardSet::keep(std::size_t count, std::uint64_t salt) const {
    if (size() <= count) return *this;
    std::vector<std::uint64_t> places(size());
    const auto place = [&](const HiddenSide& side) { return Random(side.hash() ^ salt).next(); };
    std::transform(data_.sides.begin(), data_.sides.end(), places.begin(), place);
    const auto limit = places.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(places.begin(), limit, places.end());
    return filtered([&](const HiddenSide& side) { return place(side) < *limit; });
}

std::vector<std::size_t> BoardSet::sample_indices(std::size_t count, std::uint64_t seed) const {
    // A sparse Fisher-Yates shuffle: only swapped entries are stored.
    std::unordered_map<std::size_t, std::size_t> swapped;
    const auto at = [&](std::size_t i) {
        const auto found = swapped.find(i);
        return found == swapped.end() ? i : found->second;
    };
    Random random(seed);
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < size() && i < count; ++i) {
        const std::size_t j = i + random.below(static_cast<std::uint32_t>(size() - i));
        const std::size_t chosen = at(j);
        swapped[j] = at(i);
        result.push_back(chosen);
    }
    return result;
}

std::array<char, 64> BoardSet::known_pieces() const {
    std::array<char, 64> result{};
    if (!size()) {
        result.fill('?');
        return result;
    }
    const HiddenSide reference = data_.sides[0].plain();
    Bitboard differ = 0;
    for (const HiddenSide& each : data_.sides) {
        const HiddenSide side = each.plain();
        differ |=
            (side.low ^ reference.low) | (side.middle ^ reference.middle) | (side.high ^ reference.high);
    }
    const Board first_board = keyless_board(known_, reference);
    for (Square s = 0; s < 64; ++s) result[s] = differ & bit(s) ? '?' : first_board.symbol_at(s);
    return result;
}

}  // namespace sparring::rbc
