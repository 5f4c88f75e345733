#include "rbc/boards.hpp"

#include <algorithm>

#include "game/random.hpp"

namespace sparring::rbc {

using namespace chess;

namespace {

/// The key as the table holds it: 0 means a free slot there.
std::uint64_t table_key(const Board& board) { return board.key ? board.key : 1; }

/// A number for what a window shows: equal exactly when all nine squares are, but for hash collisions.
std::uint64_t shown(const Board& board, Bitboard squares) {
    std::uint64_t mixed = 0;
    for (const Bitboard set : board.types) mixed = Random(mixed ^ (set & squares)).next();
    return Random(mixed ^ (board.colors[white] & squares)).next();
}

}  // namespace

Boards::Boards(const std::vector<Board>& boards) {
    reserve(boards.size());
    for (const Board& board : boards) insert(board);
}

bool Boards::contains(const Board& board) const {
    if (keys_.empty()) return false;
    const std::size_t mask = keys_.size() - 1;
    const std::uint64_t key = table_key(board);
    for (std::size_t i = key & mask; keys_[i]; i = (i + 1) & mask) {
        if (keys_[i] == key) return true;
    }
    return false;
}

void Boards::reserve(std::size_t more) {
    const std::size_t needed = 2 * (boards_.size() + more);
    if (needed <= keys_.size()) return;
    keys_.assign(std::bit_ceil(std::max<std::size_t>(64, needed)), 0);
    const std::size_t mask = keys_.size() - 1;
    for (const Board& board : boards_) {
        std::size_t i = table_key(board) & mask;
        while (keys_[i]) i = (i + 1) & mask;
        keys_[i] = table_key(board);
    }
}

void Boards::insert(const Board& board) {
    const std::size_t mask = keys_.size() - 1;
    const std::uint64_t key = table_key(board);
    std::size_t i = key & mask;
    for (; keys_[i]; i = (i + 1) & mask) {
        if (keys_[i] == key) return;
    }
    keys_[i] = key;
    boards_.push_back(board);
}

template <class Keep>
Boards Boards::expand(Keep keep) const {
    Boards result;
    MoveList list;
    std::vector<Board> children;
    for (const Board& board : boards_) {
        list.clear();
        pseudo_legal(board, list);
        list.push(pass);
        // The table is larger than the caches: ask for all slots of a family before looking at any.
        result.reserve(list.size());
        children.clear();
        for (const Move move : list) {
            if (!keep(board, move)) continue;
            Board& child = children.emplace_back(board);
            apply(child, move);
            __builtin_prefetch(&result.keys_[table_key(child) & (result.keys_.size() - 1)], 1);
        }
        for (const Board& child : children) result.insert(child);
    }
    return result;
}

Boards Boards::successors() const {
    return expand([](const Board&, Move) { return true; });
}

Boards Boards::after_opponent(std::optional<Square> captured) const {
    return expand([&](const Board& board, Move move) { return capture_square(board, move) == captured; });
}

Boards Boards::after_sense(const std::vector<Seen>& seen) const {
    Boards result;
    result.reserve(size());
    for (const Board& board : boards_) {
        const auto fits = [&](const Seen& s) { return board.symbol_at(s.square) == s.symbol; };
        if (std::all_of(seen.begin(), seen.end(), fits)) result.insert(board);
    }
    return result;
}

Boards Boards::after_move(Move request, Move result, std::optional<Square> captured) const {
    Boards remaining;
    remaining.reserve(size());
    MoveList list;
    for (const Board& board : boards_) {
        list.clear();
        requests(board, list);
        if (request != pass && !list.contains(request)) continue;
        const Move happened = taken(board, request);
        if (happened != result || capture_square(board, happened) != captured) continue;
        Board next = board;
        apply(next, happened);
        remaining.insert(next);
    }
    return remaining;
}

std::array<double, 64> Boards::expected_sizes() const {
    std::array<double, 64> result{};
    std::vector<std::uint64_t> views(boards_.size());
    for (Square centre = 0; centre < 64 && !boards_.empty(); ++centre) {
        const Bitboard squares = window(centre);
        std::transform(boards_.begin(), boards_.end(), views.begin(),
                       [&](const Board& board) { return shown(board, squares); });
        std::sort(views.begin(), views.end());
        double total = 0;
        for (auto run = views.begin(); run != views.end();) {
            const auto next = std::upper_bound(run, views.end(), *run);
            const double count = static_cast<double>(next - run);
            total += count * count;
            run = next;
        }
        result[centre] = total / static_cast<double>(boards_.size());
    }
    return result;
}

std::array<char, 64> Boards::certain() const {
    std::array<char, 64> result{};
    if (boards_.empty()) {
        result.fill('?');
        return result;
    }
    for (Square s = 0; s < 64; ++s) result[s] = boards_[0].symbol_at(s);
    for (const Board& board : boards_) {
        const Board& reference = boards_[0];
        Bitboard differ = board.colors[white] ^ reference.colors[white];
        for (int t = 0; t < 6; ++t) differ |= board.types[t] ^ reference.types[t];
        while (differ) result[pop(differ)] = '?';
    }
    return result;
}

}  // namespace sparring::rbc
