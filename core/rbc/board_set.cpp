#include "rbc/board_set.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "game/compiler.hpp"
#include "game/parallel.hpp"
#include "game/random.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

// Collects distinct hidden sides from several threads in bounded memory.

std::size_t slots_for(std::size_t sides) {
    return std::bit_ceil(std::max<std::size_t>(8, sides * 3 / 2 + 1));
}

/// A set with a size limit. Above `limit` distinct sides it keeps those whose salted hash falls into a half,
/// a quarter, and so on (Wegman's adaptive sampling): a uniform sample that does not depend on order,
/// repetitions or threads.
class BoardSetBuilder {
 public:
    BoardSetBuilder(std::size_t limit, std::uint64_t salt, std::size_t expected);

    /// The buffer of one thread: additions are passed on in blocks, so that locks and cache misses are rare.
    class LocalBuffer {
     public:
        explicit LocalBuffer(BoardSetBuilder& builder) : builder_(builder) {}
        void operator()(const HiddenSide& side) {
            const std::uint64_t hash = side.hash();
            if (!builder_.kept(hash)) return;
            Buffer& buffer = buffers_[run_of(hash)];
            buffer.items[buffer.size++] = {side, hash};
            if (buffer.size == buffer_size) flush(run_of(hash));
        }
        /// Must be called at the end.
        void flush();

     private:
        friend class BoardSetBuilder;
        static constexpr std::size_t buffer_size = 32;
        struct Item {
            HiddenSide side;
            std::uint64_t hash;
        };
        struct Buffer {
            std::array<Item, buffer_size> items;
            std::size_t size = 0;
        };
        void flush(std::size_t run);

        BoardSetBuilder& builder_;
        std::array<Buffer, run_count> buffers_;
    };

    /// Returns the collected sides and empties the set.
    BoardSetData finish(unsigned threads);

 private:
    /// Open addressing, at most two thirds full. A slot without pieces is free; the side without pieces (its
    /// last piece, the king, was captured) is stored separately.
    struct Table {
        std::vector<HiddenSide> slots;
        std::size_t size = 0;
        bool has_empty = false;
        std::mutex mutex;

        bool insert(const HiddenSide& side, std::uint64_t hash);
        void reserve_more(std::size_t more);
        /// Keeps the sides for which `keep(hash)` holds and reserves room for `more`.
        template <class Keep>
        void rebuild(std::size_t more, Keep keep);
    };

    /// Whether a hash belongs to the share that is kept. The share only shrinks.
    bool kept(std::uint64_t hash) const {
        const int level = level_.load(std::memory_order_relaxed);
        return level == 0 || Random(hash ^ salt_).next() >> (64 - level) == 0;
    }
    void subsample();

    const std::size_t limit_;
    const std::uint64_t salt_;
    std::array<Table, run_count> tables_;
    std::atomic<std::size_t> size_{0};
    std::atomic<int> level_{0};
    std::shared_mutex subsampling_;  // held shared while adding
};

BoardSetBuilder::BoardSetBuilder(std::size_t limit, std::uint64_t salt, std::size_t expected)
    : limit_(std::max<std::size_t>(limit, 1)), salt_(salt) {
    for (Table& table : tables_) table.reserve_more(std::min(expected, limit) / run_count);
}

bool BoardSetBuilder::Table::insert(const HiddenSide& side, std::uint64_t hash) {
    if (side.empty()) return !std::exchange(has_empty, true);
    const std::size_t mask = slots.size() - 1;
    std::size_t i = hash & mask;
    for (; !slots[i].empty(); i = (i + 1) & mask) {
        if (slots[i] == side) return false;
    }
    slots[i] = side;
    ++size;
    return true;
}

void BoardSetBuilder::Table::reserve_more(std::size_t more) {
    if (slots_for(size + more) > slots.size()) rebuild(more, [](std::uint64_t) { return true; });
}

template <class Keep>
void BoardSetBuilder::Table::rebuild(std::size_t more, Keep keep) {
    const auto stays = [&](const HiddenSide& side) { return !side.empty() && keep(side.hash()); };
    const auto count = static_cast<std::size_t>(std::count_if(slots.begin(), slots.end(), stays));
    std::vector<HiddenSide> old(slots_for(count + more));
    old.swap(slots);
    size = 0;
    for (const HiddenSide& side : old) {
        if (stays(side)) insert(side, side.hash());
    }
}

void BoardSetBuilder::LocalBuffer::flush(std::size_t run) {
    Buffer& buffer = buffers_[run];
    std::size_t size;
    {
        const std::shared_lock adding(builder_.subsampling_);
        Table& table = builder_.tables_[run];
        const std::scoped_lock lock(table.mutex);
        table.reserve_more(buffer.size);
        // The table exceeds the caches: prefetch all slots first.
        const auto items = std::span(buffer.items).first(buffer.size);
        for (const Item& item : items) prefetch_to_write(&table.slots[item.hash & (table.slots.size() - 1)]);
        std::size_t added = 0;
        for (const Item& item : items)
            added += builder_.kept(item.hash) && table.insert(item.side, item.hash);
        size = builder_.size_ += added;
    }
    buffer.size = 0;
    if (size > builder_.limit_) builder_.subsample();
}

void BoardSetBuilder::LocalBuffer::flush() {
    for (std::size_t run = 0; run < run_count; ++run) {
        if (buffers_[run].size) flush(run);
    }
}

void BoardSetBuilder::subsample() {
    const std::unique_lock alone(subsampling_);
    while (size_ > limit_ && level_ < 63) {
        ++level_;
        std::size_t size = 0;
        for (Table& table : tables_) {
            table.rebuild(0, [this](std::uint64_t hash) { return kept(hash); });
            size += table.size + table.has_empty;
        }
        size_ = size;
    }
}

BoardSetData BoardSetBuilder::finish(unsigned threads) {
    BoardSetData result;
    result.level = level_;
    for (std::size_t run = 0; run < run_count; ++run)
        result.runs[run + 1] = result.runs[run] + tables_[run].size + tables_[run].has_empty;
    result.sides.resize(result.runs.back());
    const std::size_t enough = 1 << 14;  // fewer are sorted faster by one thread
    parallel_for(run_count, 1, result.sides.size() < enough ? 1 : threads, [&](std::size_t run, std::size_t) {
        Table& table = tables_[run];
        const auto begin = result.sides.begin() + static_cast<std::ptrdiff_t>(result.runs[run]);
        auto end = std::copy_if(table.slots.begin(), table.slots.end(), begin,
                                [](const HiddenSide& side) { return !side.empty(); });
        if (table.has_empty) *end++ = {};
        table.slots = {};
        std::sort(begin, end);
    });
    size_ = 0;
    return result;
}

}  // namespace

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
            const auto piece = symbol ? symbols.find(symbol) : std::string_view::npos;
            const bool own = piece != std::string_view::npos && static_cast<int>(piece / 6) == known.player;
            for (std::size_t t = 0; t < 6; ++t) {
                const bool has = known.types[t] & bit(square);
                if (has != (own && piece % 6 == t)) possible = false;
            }
            if (symbol && piece == std::string_view::npos) possible = false;
            if (piece != std::string_view::npos && !own)
                shown = shown.toggled(hidden_code(static_cast<int>(piece % 6)), bit(square));
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
    const auto place = std::lower_bound(begin + static_cast<std::ptrdiff_t>(data_.runs[run]), end, hidden);
    if (place == end || *place != hidden) return std::nullopt;
    return static_cast<std::size_t>(place - begin);
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
            bool leads = false;
            const HiddenSide next = after_own_move(side, captured);
            if (!next.kings()) return false;
            for_each_opponent_move(moved, next, lost, [&](const HiddenSide& reply) {
                leads = leads || (filter.may_contain(reply) && later.contains(reply));
            });
            return leads;
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
        const auto entry = swapped.find(i);
        return entry == swapped.end() ? i : entry->second;
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
    for (const HiddenSide& hidden : data_.sides) {
        const HiddenSide side = hidden.plain();
        differ |=
            (side.low ^ reference.low) | (side.middle ^ reference.middle) | (side.high ^ reference.high);
    }
    const Board first_board = keyless_board(known_, reference);
    for (Square s = 0; s < 64; ++s) result[s] = differ & bit(s) ? '?' : first_board.symbol_at(s);
    return result;
}

std::array<std::array<double, 64>, 12> BoardSet::piece_shares(std::size_t count) const {
    std::array<std::array<double, 64>, 12> shares{};
    std::vector<std::size_t> counted = sample_indices(size() > count ? count : 0, 0);
    if (counted.empty()) {
        counted.resize(size());
        std::iota(counted.begin(), counted.end(), std::size_t{0});
    }
    for (const std::size_t i : counted) {
        const Board board = keyless_board(known_, data_.sides[i]);
        for (const Color color : {white, black}) {
            for (std::size_t type = 0; type < 6; ++type) {
                for (Bitboard squares = board.colors[color] & board.types[type]; squares;)
                    ++shares[static_cast<std::size_t>(color) * 6 + type]
                            [static_cast<std::size_t>(pop_lsb(squares))];
            }
        }
    }
    for (auto& squares : shares) {
        for (double& share : squares) share /= static_cast<double>(counted.size());
    }
    return shares;
}

std::vector<SensedSquare> sense_result(const Board& board, Square centre) {
    std::vector<SensedSquare> result;
    for (const int rank : {1, 0, -1}) {
        for (const int file : {-1, 0, 1}) {
            const int r = rank_of(centre) + rank, f = file_of(centre) + file;
            if (r < 0 || r > 7 || f < 0 || f > 7) continue;
            result.push_back({r * 8 + f, board.symbol_at(r * 8 + f)});
        }
    }
    return result;
}

}  // namespace sparring::rbc
