#include "rbc/boards.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "game/parallel.hpp"
#include "game/random.hpp"
#include "rbc/replies.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

constexpr std::size_t block = 1024;  // boards that a thread takes at a time

/// What a sense showed of the other side, ready to be compared with a board.
struct Sight {
    Bitboard squares = 0;
    HiddenSide shown;
    bool possible = true;  // false where it contradicts the player's own pieces

    Sight(const KnownSide& known, const std::vector<Seen>& seen) {
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

/// Tells at once that most boards are not in a set.
class Doorman {
 public:
    explicit Doorman(std::span<const HiddenSide> sides)
        : bits_(std::bit_ceil(std::max<std::size_t>(64, sides.size() * 16)) / 64) {
        for (const HiddenSide& side : sides) word(side.hash()) |= bit(side.hash() & 63);
    }
    bool may_have(const HiddenSide& side) const {
        const std::uint64_t hash = side.hash();
        return bits_[hash >> 6 & (bits_.size() - 1)] >> (hash & 63) & 1;
    }

 private:
    std::uint64_t& word(std::uint64_t hash) { return bits_[hash >> 6 & (bits_.size() - 1)]; }
    std::vector<std::uint64_t> bits_;
};

/// The other side after the player's move: what was captured is gone, and so is the chance of en passant.
HiddenSide moved_upon(const HiddenSide& hidden, std::optional<Square> captured) {
    const HiddenSide left = captured ? hidden.without(bit(*captured)) : hidden;
    if (!left.kings()) return left.plain();  // nobody castles any more
    return left.toggled(HiddenSide::a_pawn ^ HiddenSide::special, left.passing_pawns());
}

bool may_be_requested(const KnownSide& known, Move request) {
    MoveList list;
    requests(keyless_board(known, {}), list);
    return request == pass || list.contains(request);
}

}  // namespace

Boards::Boards(const std::vector<Board>& boards, Color player) {
    if (boards.empty()) throw std::invalid_argument("a set needs at least one board to begin with");
    known_ = known_side(boards[0], player);
    Gathering gathering(boards.size(), 0, boards.size());
    Gathering::Hand hand(gathering);
    for (const Board& board : boards) {
        KnownSide known = known_side(board, player);
        known.fullmoves = known_.fullmoves;
        if (known != known_)
            throw std::invalid_argument(
                "the boards differ in what the player knows: its own pieces, the turn");
        hand(hidden_side(board, player));
    }
    hand.flush();
    gathered_ = gathering.finish(1);
}

bool Boards::contains(const Board& board) const {
    KnownSide known = known_side(board, known_.player);
    known.fullmoves = known_.fullmoves;
    return known == known_ && contains(hidden_side(board, known_.player));
}

bool Boards::contains(const HiddenSide& hidden) const {
    const std::size_t run = run_of(hidden.hash());
    const auto begin = gathered_.sides.begin();
    return std::binary_search(begin + static_cast<std::ptrdiff_t>(gathered_.runs[run]),
                              begin + static_cast<std::ptrdiff_t>(gathered_.runs[run + 1]), hidden);
}

void Boards::demand_turn(Color whose) const {
    if (known_.turn == whose) return;
    throw std::invalid_argument(whose == known_.player ? "it is the opponent's turn, not the player's"
                                                       : "it is the player's turn, not the opponent's");
}

/// The sides for which `keep` holds, in their order. Each run is one thread's.
template <class Keep>
Boards Boards::filtered(Keep keep, unsigned threads) const {
    const auto& [sides, runs, level] = gathered_;
    std::vector<std::uint8_t> stays(size());
    Gathered result;
    result.level = level;
    in_parallel(run_count, 1, size() < block ? 1 : threads,
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
    return Boards(known_, std::move(result));
}

Boards Boards::after_opponent(std::optional<Square> captured, const std::vector<Seen>& seen,
                              const Effort& effort) const {
    demand_turn(known_.opponent());
    const KnownSide next = known_.after_opponent(captured);
    const Sight sight(next, seen);
    if (!sight.possible || (captured && !(known_.all() & bit(*captured)))) return Boards(next, {});
    Gathering gathering(effort.limit, effort.salt, seen.empty() && !captured ? 4 * size() : size() / 4);
    in_parallel(size(), block, effort.threads, [&](std::size_t begin, std::size_t end) {
        Gathering::Hand hand(gathering);
        for (std::size_t i = begin; i < end; ++i) {
            const HiddenSide& side = gathered_.sides[i];
            if (!side.kings()) continue;
            for_each_reply(known_, side, captured, [&](const HiddenSide& reply) {
                if (sight.fits(reply)) hand(reply);
            });
        }
        hand.flush();
    });
    return Boards(next, gathering.finish(effort.threads));
}

Boards Boards::after_sense(const std::vector<Seen>& seen) const {
    const Sight sight(known_, seen);
    return filtered([&](const HiddenSide& side) { return sight.possible && sight.fits(side); });
}

/// A function that says on which boards a request has this result.
auto Boards::with_result(Move request, Move result, std::optional<Square> captured) const {
    demand_turn(known_.player);
    const bool possible = may_be_requested(known_, request);
    return [=, this](const HiddenSide& side) {
        if (!possible) return false;
        const Board board = keyless_board(known_, side);
        return taken(board, request) == result && capture_square(board, result) == captured;
    };
}

Boards Boards::before_move(Move request, Move result, std::optional<Square> captured) const {
    return filtered(with_result(request, result, captured));
}

Boards Boards::after_move(Move request, Move result, std::optional<Square> captured) const {
    const auto fits = with_result(request, result, captured);
    Gathering gathering(size(), 0, size());
    Gathering::Hand hand(gathering);
    for (const HiddenSide& side : gathered_.sides) {
        if (fits(side)) hand(moved_upon(side, captured));
    }
    hand.flush();
    Gathered gathered = gathering.finish(1);
    if (gathered.sides.empty()) return Boards(known_, {});
    return Boards(known_.after_move(result), std::move(gathered));
}

Boards Boards::leading_to(const Boards& later, Move result, std::optional<Square> captured,
                          std::optional<Square> lost, unsigned threads) const {
    demand_turn(known_.player);
    if (!may_be_requested(known_, result))
        throw std::invalid_argument("the player cannot have made that move");
    const KnownSide moved = known_.after_move(result);
    if (lost && !(moved.all() & bit(*lost))) return Boards(known_, {});
    const Doorman doorman(later.hidden());
    return filtered(
        [&](const HiddenSide& side) {
            bool found = false;
            const HiddenSide next = moved_upon(side, captured);
            if (!next.kings()) return false;
            for_each_reply(moved, next, lost, [&](const HiddenSide& reply) {
                found = found || (doorman.may_have(reply) && later.contains(reply));
            });
            return found;
        },
        threads);
}

Boards Boards::in_danger() const {
    const Bitboard kings = known_.types[king];
    return filtered([&](const HiddenSide& side) {
        const Board board = keyless_board(known_, side);
        return kings && board.attackers(first(kings), known_.opponent(), board.occupied());
    });
}

Boards Boards::keep(std::size_t count, std::uint64_t salt) const {
    if (size() <= count) return *this;
    std::vector<std::uint64_t> places(size());
    const auto place = [&](const HiddenSide& side) { return Random(side.hash() ^ salt).next(); };
    std::transform(gathered_.sides.begin(), gathered_.sides.end(), places.begin(), place);
    const auto limit = places.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(places.begin(), limit, places.end());
    return filtered([&](const HiddenSide& side) { return place(side) < *limit; });
}

std::vector<std::size_t> Boards::draw(std::size_t count, std::uint64_t seed) const {
    // Fisher and Yates's shuffle that remembers only what it has swapped.
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

std::array<char, 64> Boards::certain() const {
    std::array<char, 64> result{};
    if (!size()) {
        result.fill('?');
        return result;
    }
    const HiddenSide reference = gathered_.sides[0].plain();
    Bitboard differ = 0;
    for (const HiddenSide& each : gathered_.sides) {
        const HiddenSide side = each.plain();
        differ |=
            (side.low ^ reference.low) | (side.middle ^ reference.middle) | (side.high ^ reference.high);
    }
    const Board first_board = keyless_board(known_, reference);
    for (Square s = 0; s < 64; ++s) result[s] = differ & bit(s) ? '?' : first_board.symbol_at(s);
    return result;
}

}  // namespace sparring::rbc
