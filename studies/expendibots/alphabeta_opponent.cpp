// A test opponent for the Expendibots agent: alpha-beta to a fixed depth with material and mobility.
//
// It shares no code with core/: rules, search and evaluation are its own. The search has iterative deepening,
// a null window after the first action, a transposition table, killer moves, the history heuristic, and a
// quiescence search of the BOOMs that lose no more tokens than they win. It has no reductions and no pruning
// of actions. alphabeta_opponent.py compiles this file and calls the four functions at its end.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

constexpr int action_limit = 500, repetitions_to_draw = 4;
constexpr int win = 1'000'000, infinity = 2 * win, max_depth = 32;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

constexpr int max_height = 12;
const auto square_keys = [] {  // by height, negative for Black, and square
    std::array<std::array<std::uint64_t, 64>, 2 * max_height + 1> keys{};
    for (std::size_t h = 0; h < keys.size(); ++h) {
        for (std::size_t s = 0; s < 64; ++s) keys[h][s] = mixed(64 * h + s);
    }
    return keys;
}();

struct Action {
    int tokens = 0;  // 0: BOOM
    int from = 0, to = 0;

    bool operator==(const Action&) const = default;
};

struct Board {
    std::array<std::int8_t, 64> heights{};  // own tokens positive for White, negative for Black
    int side = 1;                           // 1: White to move, -1: Black

    static Board initial() {
        Board board;
        for (const int x : {0, 1, 3, 4, 6, 7}) {
            for (const int y : {0, 1}) {
                board.heights[8 * y + x] = 1;
                board.heights[8 * (7 - y) + x] = -1;
            }
        }
        return board;
    }

    std::uint64_t key() const {
        std::uint64_t result = side;
        for (int s = 0; s < 64; ++s) {
            if (heights[s]) result ^= square_keys[heights[s] + max_height][s];
        }
        return result;
    }

    void explode(int s) {
        heights[s] = 0;
        const int x = s % 8, y = s / 8;
        for (int v = std::max(y - 1, 0); v <= std::min(y + 1, 7); ++v) {
            for (int u = std::max(x - 1, 0); u <= std::min(x + 1, 7); ++u) {
                if (heights[8 * v + u]) explode(8 * v + u);
            }
        }
    }

    void play(const Action& action) {
        if (action.tokens == 0) {
            explode(action.from);
        } else {
            heights[action.from] -= static_cast<std::int8_t>(side * action.tokens);
            heights[action.to] += static_cast<std::int8_t>(side * action.tokens);
        }
        side = -side;
    }

    /// Calls `visit(from, to, height)` for each square that a stack of `color` can move to.
    template <class Visit>
    void for_each_target(int color, Visit visit) const {
        for (int s = 0; s < 64; ++s) {
            const int height = color * heights[s];
            if (height <= 0) continue;
            const int x = s % 8, y = s / 8;
            for (int d = 1; d <= height; ++d) {
                if (x + d < 8 && color * heights[s + d] >= 0) visit(s, s + d, height);
                if (x - d >= 0 && color * heights[s - d] >= 0) visit(s, s - d, height);
                if (y + d < 8 && color * heights[s + 8 * d] >= 0) visit(s, s + 8 * d, height);
                if (y - d >= 0 && color * heights[s - 8 * d] >= 0) visit(s, s - 8 * d, height);
            }
        }
    }

    std::array<int, 2> tokens() const {  // of the side to move, of the other
        std::array<int, 2> result{};
        for (const int height : heights) result[height * side < 0] += std::abs(height);
        return result;
    }
};

struct Entry {
    std::uint64_t key = 0;
    int score = 0;
    std::int8_t depth = -1, bound = 0;  // bound: -1 upper, 0 exact, 1 lower
    std::int8_t tokens = 0, from = 0, to = 0;
};

class Opponent {
 public:
    explicit Opponent(std::uint64_t seed) : seed_(mixed(seed)), table_(1 << 20) {
        played_.push_back(board_.key());
    }

    void update(const Action& action) {
        board_.play(action);
        played_.push_back(board_.key());
    }

    Action choose(int depth, double seconds) {
        start_ = std::clock();
        seconds_ = seconds;
        stopped_ = false;
        killers_ = {};
        history_ = {};
        path_ = played_;
        best_ = {};
        for (int each = 1; each <= depth && !stopped_; ++each) {
            const Action earlier = best_;
            const int score = search(board_, each, 0, -infinity, infinity);
            if (stopped_ && each > 1) best_ = earlier;
            if (std::abs(score) > win - max_depth) break;
        }
        return best_;
    }

 private:
    /// Material, then mobility; a little noise by the seed, so that games differ.
    int evaluate(const Board& board, std::uint64_t key) const {
        const auto [own, other] = board.tokens();
        int mobility = 0;
        board.for_each_target(board.side, [&](int, int, int) { ++mobility; });
        board.for_each_target(-board.side, [&](int, int, int) { --mobility; });
        return 100 * (own - other) + mobility + static_cast<int>(mixed(key ^ seed_) & 3);
    }

    int search(const Board& board, int depth, int ply, int alpha, int beta) {
        const auto [own, other] = board.tokens();
        if (!own || !other) return own ? win - ply : other ? ply - win : 0;
        const std::uint64_t key = path_.back();
        if (ply > 0) {
            if (static_cast<int>(played_.size()) - 1 + ply >= action_limit) return 0;
            const auto visits = std::count(path_.begin(), path_.end(), key);
            if (visits >= repetitions_to_draw ||
                std::count(path_.begin() + static_cast<std::ptrdiff_t>(played_.size()) - 1, path_.end(),
                           key) > 1)
                return 0;
        }
        if (depth == 0) return quiesce(board, ply, alpha, beta);
        count_node();
        if (stopped_) return 0;

        Entry& entry = table_[key % table_.size()];
        const bool known = entry.key == key && entry.depth >= 0;
        if (ply > 0 && known && entry.depth == depth &&
            (entry.bound == 0 || (entry.bound > 0 ? entry.score >= beta : entry.score <= alpha)))
            return entry.score;
        const Action first = known ? Action{entry.tokens, entry.from, entry.to} : Action{-1, 0, 0};

        std::vector<std::pair<int, Action>> actions = ordered(board, first, ply);
        const int floor = alpha;
        int best = -infinity;
        Action best_action;
        for (const auto& [order, action] : actions) {
            Board next = board;
            next.play(action);
            path_.push_back(next.key());
            int score;
            if (best == -infinity) {
                score = -search(next, depth - 1, ply + 1, -beta, -alpha);
            } else {
                score = -search(next, depth - 1, ply + 1, -alpha - 1, -alpha);
                if (score > alpha && score < beta) score = -search(next, depth - 1, ply + 1, -beta, -alpha);
            }
            path_.pop_back();
            if (stopped_ && !(ply == 0 && depth == 1)) return 0;
            if (score > best) {
                best = score;
                best_action = action;
                if (ply == 0) best_ = action;
            }
            alpha = std::max(alpha, score);
            if (alpha >= beta) {
                if (action.tokens) {
                    killers_[ply] = action;
                    history_[board.side > 0][action.from][action.to] += depth * depth;
                }
                break;
            }
        }
        const int bound = best >= beta ? 1 : best > floor ? 0 : -1;
        // Scores of wins count plies from the root, and draws may depend on the path: neither is stored.
        if (best != 0 && std::abs(best) < win - 1000) {
            entry = {key,
                     best,
                     static_cast<std::int8_t>(depth),
                     static_cast<std::int8_t>(bound),
                     static_cast<std::int8_t>(best_action.tokens),
                     static_cast<std::int8_t>(best_action.from),
                     static_cast<std::int8_t>(best_action.to)};
        }
        return best;
    }

    /// The best score with further BOOMs that lose no more than they win, or without.
    int quiesce(const Board& board, int ply, int alpha, int beta) {
        const auto [own, other] = board.tokens();
        if (!own || !other) return own ? win - ply : other ? ply - win : 0;
        count_node();
        if (stopped_) return 0;
        int best = evaluate(board, board.key());
        std::vector<std::pair<int, Action>> booms;
        add_booms(board, booms);
        std::stable_sort(booms.begin(), booms.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        for (const auto& [gain, action] : booms) {
            alpha = std::max(alpha, best);
            if (gain < 0 || alpha >= beta) break;
            Board next = board;
            next.play(action);
            best = std::max(best, -quiesce(next, ply + 1, -beta, -alpha));
            if (stopped_) return 0;
        }
        return best;
    }

    void count_node() {
        if (++nodes_ % 1024 == 0 && elapsed() > seconds_) stopped_ = true;
    }

    /// One BOOM for each component, with the tokens that it wins less those that it loses.
    static void add_booms(const Board& board, std::vector<std::pair<int, Action>>& result) {
        Board left = board;  // without the components seen so far
        for (int s = 0; s < 64; ++s) {
            if (left.heights[s] * board.side <= 0) continue;
            const auto [own_before, other_before] = left.tokens();
            left.explode(s);
            const auto [own_after, other_after] = left.tokens();
            result.emplace_back((other_before - other_after) - (own_before - own_after), Action{0, s, 0});
        }
    }

    /// All actions, one BOOM for each component: the table's, BOOMs by what they win, the killer, by history.
    std::vector<std::pair<int, Action>> ordered(const Board& board, const Action& first, int ply) const {
        std::vector<std::pair<int, Action>> result;
        const auto add = [&](const Action& action, int order) {
            result.emplace_back(action == first ? 1 << 30 : order, action);
        };
        std::vector<std::pair<int, Action>> booms;
        add_booms(board, booms);
        for (const auto& [gain, action] : booms)
            add(action, gain > 0 ? (1 << 28) + gain : gain == 0 ? 1 << 26 : -(1 << 20) + gain);
        board.for_each_target(board.side, [&](int from, int to, int height) {
            const int history = history_[board.side > 0][from][to];
            for (int tokens = 1; tokens <= height; ++tokens) {
                const Action action{tokens, from, to};
                add(action, action == killers_[ply] ? 1 << 27 : history);
            }
        });
        std::stable_sort(result.begin(), result.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        return result;
    }

    /// Processor seconds, as the referee counts them: other programs take none of them.
    double elapsed() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

    Board board_ = Board::initial();
    std::uint64_t seed_;
    std::vector<Entry> table_;
    std::vector<std::uint64_t> played_, path_;  // keys of the game, and of the game and the line searched
    std::array<Action, max_depth + 1> killers_{};
    std::array<std::array<std::array<int, 64>, 64>, 2> history_{};
    Action best_;
    std::clock_t start_ = 0;
    double seconds_ = 0;
    std::uint64_t nodes_ = 0;
    bool stopped_ = false;
};

}  // namespace

extern "C" {

void* opponent_new(std::uint64_t seed) { return new Opponent(seed); }
void opponent_delete(void* opponent) { delete static_cast<Opponent*>(opponent); }
/// Plays an action of either side; `tokens` is 0 for a BOOM. Squares are 8 * y + x.
void opponent_update(void* opponent, int tokens, int from, int to) {
    static_cast<Opponent*>(opponent)->update({tokens, from, to});
}
/// Writes tokens, from and to of the chosen action.
void opponent_choose(void* opponent, int depth, double seconds, int* out) {
    const Action action = static_cast<Opponent*>(opponent)->choose(depth, seconds);
    out[0] = action.tokens;
    out[1] = action.from;
    out[2] = action.to;
}
}
