// A pool of chess games in lockstep for training, and the replay of recorded games: a C interface for ctypes
// over core/chess. Boards are seen by their own mover (ranks mirrored for Black): 0 empty, 1-6 own pawn to
// king, 7-12 those of the opponent. build_pool.sh compiles it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "chess/lc0.hpp"
#include "chess/position.hpp"
#include "game/parallel.hpp"
#include "game/random.hpp"

using namespace sparring;
using namespace sparring::chess;

namespace {

constexpr int history = 8;
constexpr std::size_t legal_bytes = 236;  // 1858 bits, padded to words
constexpr std::uint16_t end_game = 0xFFFF;

/// A position of the pool.
struct Row {
    std::uint8_t boards[history][64];  // newest first
    std::uint8_t info[4];     // castling rights and colour, rule 50, repetitions by board, number of boards
    std::int16_t ratings[2];  // of the player to move and of the opponent
    std::uint8_t legal[legal_bytes];  // bits by Lc0's labels
    std::uint16_t ply;
    std::uint16_t spare;
};
static_assert(sizeof(Row) == 760);

/// A position of a recorded game.
struct Recorded {
    std::uint8_t board[64];
    std::uint8_t info[4];  // castling rights and colour, rule 50, repeated, ply up to 255
    std::uint8_t legal[legal_bytes];
    std::uint16_t label;
    std::uint16_t ply;
};
static_assert(sizeof(Recorded) == 308);

void write_board(const Board& board, std::uint8_t* out) {
    std::memset(out, 0, 64);
    const int flip = board.turn == black ? 56 : 0;
    for (int owner = 0; owner < 2; ++owner) {
        const Color color = owner == 0 ? board.side() : ~board.side();
        for (int type = pawn; type <= king; ++type) {
            for (Bitboard b = board.pieces(color, static_cast<PieceType>(type)); b;)
                out[pop_lsb(b) ^ flip] = static_cast<std::uint8_t>(1 + owner * 6 + type);
        }
    }
}

/// Bits: own long and short castling, those of the opponent, Black to move.
std::uint8_t castling_of(const Board& b) {
    const bool w = b.turn == white;
    const auto has = [&](int mine, int theirs) { return (b.castling & (w ? mine : theirs)) != 0; };
    return static_cast<std::uint8_t>(has(white_long, black_long) | has(white_short, black_short) << 1 |
                                     has(black_long, white_long) << 2 | has(black_short, white_short) << 3 |
                                     !w << 4);
}

void write_legal(const Board& board, const MoveList& moves, std::uint8_t* out) {
    std::memset(out, 0, legal_bytes);
    for (const Move m : moves) {
        const int label = lc0::policy_index(board, m);
        out[label >> 3] = static_cast<std::uint8_t>(out[label >> 3] | 1 << (label & 7));
    }
}

/// A game with its last eight boards.
struct Game {
    Position position;
    MoveList moves;
    std::array<std::array<std::uint8_t, 64>, history> boards;  // by ply modulo 8
    std::array<std::uint8_t, history> repeated{};
    std::vector<std::uint64_t> keys;
    int ply = 0;
    std::int16_t ratings[2] = {1500, 1500};  // White's and Black's

    void begin() {
        position = Position();
        keys.clear();
        ply = 0;
        arrive();
    }

    void play(Move m) {
        position.play(m);
        ++ply;
        arrive();
    }

    /// Updates boards, repetitions and legal moves after a move.
    void arrive() {
        const Board& board = position.board();
        const auto slot = static_cast<std::size_t>(ply % history);
        write_board(board, boards[slot].data());
        int times = 0;
        const int back = std::min<int>(board.halfmove_clock, ply);
        for (int i = 4; i <= back; i += 2) times += keys[static_cast<std::size_t>(ply - i)] == board.key;
        repeated[slot] = static_cast<std::uint8_t>(std::min(times, 255));
        keys.push_back(board.key);
        moves.clear();
        position.moves(moves);
        moves.sort();
    }

    bool over(int longest) const {
        return moves.empty() || ply >= longest || position.board().halfmove_clock >= 120 ||
               repeated[static_cast<std::size_t>(ply % history)] >= 3 || position.insufficient_material();
    }

    void write(Row& row) const {
        const Board& board = position.board();
        const int known = std::min(ply + 1, history);
        std::uint8_t bits = 0;
        for (int i = 0; i < history; ++i) {
            const auto slot = static_cast<std::size_t>((ply - std::min(i, known - 1)) % history);
            std::memcpy(row.boards[i], boards[slot].data(), 64);
            if (i < known && repeated[slot]) bits = static_cast<std::uint8_t>(bits | 1 << i);
        }
        row.info[0] = castling_of(board);
        row.info[1] = static_cast<std::uint8_t>(std::min<int>(board.halfmove_clock, 255));
        row.info[2] = bits;
        row.info[3] = static_cast<std::uint8_t>(known);
        row.ratings[0] = ratings[board.turn];
        row.ratings[1] = ratings[1 - board.turn];
        write_legal(board, moves, row.legal);
        row.ply = static_cast<std::uint16_t>(ply);
        row.spare = 0;
    }
};

/// Recorded games. The arrays belong to the caller.
struct Book {
    std::int64_t games;
    const std::uint8_t* moves;
    const std::int64_t* offsets;  // [games + 1]
    const std::int16_t* ratings;  // [games, 2]
};

struct Pool {
    Book book;
    unsigned threads;
    double deep;            // share of games that begin anywhere in a recorded game, not in its opening
    double random_ratings;  // share of games with other ratings than the recorded game
    int longest;
    std::vector<Game> games;
    std::vector<Random> random;

    double chance(Random& r) const { return static_cast<double>(r.next() >> 11) * 0x1.0p-53; }

    /// Starts a new game with the first moves of a recorded one.
    void begin(std::size_t i) {
        Game& game = games[i];
        Random& r = random[i];
        do {
            game.begin();
            const auto which = static_cast<std::int64_t>(r.next() % static_cast<std::uint64_t>(book.games));
            const int length = static_cast<int>(book.offsets[which + 1] - book.offsets[which]);
            int plies = 4 + static_cast<int>(r.below(13));
            if (chance(r) < deep) plies = static_cast<int>(r.below(static_cast<std::uint32_t>(length)));
            plies = std::min(plies, length - 1);
            for (int p = 0; p < plies && !game.moves.empty(); ++p)
                game.play(game.moves[book.moves[book.offsets[which] + p]]);
            for (int c = 0; c < 2; ++c) game.ratings[c] = book.ratings[2 * which + c];
            if (game.ratings[0] < 0 || game.ratings[1] < 0 || chance(r) < random_ratings) {
                const double first = 600 + 2000 * chance(r);
                const double apart = 100 * (chance(r) + chance(r) + chance(r) + chance(r) - 2) * 1.732;
                game.ratings[0] = static_cast<std::int16_t>(first);
                game.ratings[1] = static_cast<std::int16_t>(std::clamp(first + apart, 600.0, 2600.0));
            }
        } while (game.over(longest));
    }

    /// Plays the move with a label; starts a new game if the old one ends.
    void follow(std::size_t i, std::uint16_t label) {
        Game& game = games[i];
        if (label != end_game) {
            for (const Move m : game.moves) {
                if (lc0::policy_index(game.position.board(), m) != label) continue;
                game.play(m);
                if (!game.over(longest)) return;
                break;
            }
        }
        begin(i);
    }
};

}  // namespace

extern "C" {

Pool* pool_new(std::int64_t size, int threads, std::uint64_t seed, std::int64_t games,
               const std::uint8_t* moves, const std::int64_t* offsets, const std::int16_t* ratings,
               double deep, double random_ratings, int longest) {
    auto* pool = new Pool{{games, moves, offsets, ratings},
                          static_cast<unsigned>(threads),
                          deep,
                          random_ratings,
                          longest,
                          {},
                          {}};
    pool->games.resize(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i)
        pool->random.emplace_back(seed * 1000003 + static_cast<std::uint64_t>(i) * 7919);
    parallel_for(pool->games.size(), 64, pool->threads, [&](std::size_t a, std::size_t b) {
        for (std::size_t i = a; i < b; ++i) pool->begin(i);
    });
    return pool;
}

void pool_free(Pool* pool) { delete pool; }

/// Plays a move in each game from `begin` to `end` and writes the new positions. `labels` are Lc0's (65535
/// ends the game), or null to play no moves. A new game replaces a finished one.
void pool_step(Pool* pool, std::int64_t begin, std::int64_t end, const std::uint16_t* labels, Row* rows) {
    parallel_for(static_cast<std::size_t>(end - begin), 64, pool->threads, [&](std::size_t a, std::size_t b) {
        for (std::size_t i = a; i < b; ++i) {
            const std::size_t game = static_cast<std::size_t>(begin) + i;
            if (labels) pool->follow(game, labels[i]);
            pool->games[game].write(rows[i]);
        }
    });
}

/// Replays recorded games into rows, one per ply; game g has the moves and rows from offsets[g] to offsets[g
/// + 1]. Returns the number of games with an illegal move.
std::int64_t replay(std::int64_t games, const std::uint8_t* moves, const std::int64_t* offsets, int threads,
                    Recorded* rows) {
    std::atomic<std::int64_t> broken{0};
    parallel_for(static_cast<std::size_t>(games), 64, static_cast<unsigned>(threads),
                 [&](std::size_t a, std::size_t b) {
                     Game game;
                     for (std::size_t g = a; g < b; ++g) {
                         game.begin();
                         for (std::int64_t p = offsets[g]; p < offsets[g + 1]; ++p) {
                             Recorded& row = rows[p];
                             if (moves[p] >= game.moves.size()) {
                                 ++broken;
                                 break;
                             }
                             const Board& board = game.position.board();
                             const Move m = game.moves[moves[p]];
                             const auto slot = static_cast<std::size_t>(game.ply % history);
                             std::memcpy(row.board, game.boards[slot].data(), 64);
                             row.info[0] = castling_of(board);
                             row.info[1] =
                                 static_cast<std::uint8_t>(std::min<int>(board.halfmove_clock, 255));
                             row.info[2] = game.repeated[slot] != 0;
                             row.info[3] = static_cast<std::uint8_t>(std::min(game.ply, 255));
                             write_legal(board, game.moves, row.legal);
                             row.label = static_cast<std::uint16_t>(lc0::policy_index(board, m));
                             row.ply = static_cast<std::uint16_t>(game.ply);
                             game.play(m);
                         }
                     }
                 });
    return broken;
}

/// From-square, to-square and promotion (0, or 1 knight to 4 queen) of each of Lc0's 1858 labels.
void policy_moves(std::int8_t* out) {
    for (const auto& m : lc0::policy_moves()) {
        *out++ = m.from;
        *out++ = m.to;
        *out++ = m.promotion;
    }
}
}
