// Collects distinct hidden sides from several threads in bounded memory.
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

/// The number of sorted runs of a set, by the top bits of the hash.
constexpr std::size_t run_count = 64;
constexpr std::size_t run_of(std::uint64_t hash) { return hash >> 58; }
using Runs = std::array<std::size_t, run_count + 1>;  // the begin of each run, and the end of the last

/// The collected sides: distinct, in sorted runs.
struct BoardSetData {
    std::vector<HiddenSide> sides;
    Runs runs{};
    int level = 0;  // one in 2^level was kept; 0 if all
};

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

}  // namespace sparring::rbc
