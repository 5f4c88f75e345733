// Distinct hidden sides, gathered by several threads in bounded memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "game/random.hpp"
#include "rbc/hidden.hpp"

namespace sparring::rbc {

/// A set is kept as so many sorted runs, by the top bits of the hash.
constexpr std::size_t run_count = 64;
constexpr std::size_t run_of(std::uint64_t hash) { return hash >> 58; }
using Runs = std::array<std::size_t, run_count + 1>;  // where each run begins, and where the last ends

/// What was gathered: distinct, in runs, each sorted.
struct BoardSetData {
    std::vector<HiddenSide> sides;
    Runs runs{};
    int level = 0;  // only one in 2^level was kept: 0 where all are there
};

/// A set that takes any number of additions. While there are more than `limit` distinct ones it keeps those
/// whose hash, mixed with the salt, falls into an ever smaller share: half, a quarter, and so on (Wegman's
/// adaptive sampling). What is kept is thus a uniform sample of all that was added, whatever the order, the
/// repetitions and the threads.
class BoardSetBuilder {
 public:
    BoardSetBuilder(std::size_t limit, std::uint64_t salt, std::size_t expected);

    /// Gathers for one thread: additions wait in small buffers, so that locks and memory are seldom waited
    /// for.
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

    /// What was gathered; the set is empty afterwards.
    BoardSetData finish(unsigned threads);

 private:
    /// Open addressing, at most two thirds full. A slot without pieces is free; the side without pieces (its
    /// king was the last and is taken) is kept apart.
    struct Table {
        std::vector<HiddenSide> slots;
        std::size_t size = 0;
        bool has_empty = false;
        std::mutex mutex;

        bool insert(const HiddenSide& side, std::uint64_t hash);
        void reserve_more(std::size_t more);
        /// Keeps those for which `keep(hash)` holds, with room for `more`.
        template <class Keep>
        void rebuild(std::size_t more, Keep keep);
    };

    /// Whether the share that is kept now has room for a hash. It only ever shrinks.
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
    std::shared_mutex subsampling_;  // shared by those who add
};

}  // namespace sparring::rbc
