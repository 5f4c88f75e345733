// The transposition table of alpha-beta, shared by the threads of a search without locks.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "game/compiler.hpp"
#include "game/move.hpp"

namespace sparring::search {

/// The relation of a score to the exact value of a position.
enum class Bound : std::uint8_t { none, lower, upper, exact };

struct Entry {
    Move move = 0;
    Bound bound = Bound::none;
    int depth = 0;
    int score = 0;         // within 24 bits
    bool current = false;  // stored by the current search
};

/// Buckets of one cache line. The key is stored xor the data, so that an entry half of which was overwritten
/// by another thread does not match its key (Hyatt and Mann 2002).
class TranspositionTable {
 public:
    explicit TranspositionTable(std::size_t bytes)
        : size_(std::bit_floor(std::max<std::size_t>(bytes / sizeof(Bucket), 1))), buckets_(allocate(size_)) {
        clear();
    }

    /// Marks all entries as those of an earlier search.
    void new_search() { generation_ = (generation_ + 1) & 0x3F; }

    void clear() {
        for (std::size_t i = 0; i < size_; ++i)
            for (Slot& slot : buckets_.get()[i].slots) slot.write(0, 0);
    }

    /// Loads the bucket of a key into the cache.
    void prefetch(std::uint64_t key) const { sparring::prefetch(&bucket(key)); }

    /// The entry of a key; its bound is `none` if there is no entry.
    Entry probe(std::uint64_t key) const {
        for (const Slot& slot : bucket(key).slots) {
            const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
            if ((slot.mixed.load(std::memory_order_relaxed) ^ data) == key && data) return unpack(data);
        }
        return {};
    }

    /// Replaces the entry of the same key, or else the shallowest, entries of earlier searches first.
    void store(std::uint64_t key, const Entry& entry) {
        Slot* place = nullptr;
        int least = 1 << 20;
        for (Slot& slot : bucket(key).slots) {
            const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
            if (!data || (slot.mixed.load(std::memory_order_relaxed) ^ data) == key) {
                place = &slot;
                break;
            }
            const Entry known = unpack(data);
            const int worth = known.depth + (known.current ? 256 : 0);
            if (worth < least) {
                least = worth;
                place = &slot;
            }
        }
        const std::uint64_t data = pack(entry);
        place->write(key ^ data, data);
    }

 private:
    struct Slot {
        std::atomic<std::uint64_t> mixed{0}, data{0};

        void write(std::uint64_t mixed_key, std::uint64_t packed) {
            mixed.store(mixed_key, std::memory_order_relaxed);
            data.store(packed, std::memory_order_relaxed);
        }
    };
    struct alignas(64) Bucket {
        std::array<Slot, 4> slots;
    };

    // From the lowest bit: move 16, score 24, depth 8, bound 2, generation 6.
    std::uint64_t pack(const Entry& e) const {
        return std::uint64_t{e.move} | static_cast<std::uint64_t>(e.score & 0xFFFFFF) << 16 |
               static_cast<std::uint64_t>(e.depth & 0xFF) << 40 | static_cast<std::uint64_t>(e.bound) << 48 |
               static_cast<std::uint64_t>(generation_) << 50;
    }
    Entry unpack(std::uint64_t data) const {
        const auto score = static_cast<std::int32_t>(static_cast<std::uint32_t>(data >> 16) << 8) >> 8;
        return {static_cast<Move>(data), static_cast<Bound>(data >> 48 & 3),
                static_cast<int>(data >> 40 & 0xFF), score, (data >> 50 & 0x3F) == generation_};
    }

    const Bucket& bucket(std::uint64_t key) const { return buckets_.get()[key & (size_ - 1)]; }
    Bucket& bucket(std::uint64_t key) { return buckets_.get()[key & (size_ - 1)]; }

    struct Free {
        std::align_val_t alignment;

        void operator()(Bucket* buckets) const { ::operator delete(buckets, alignment); }
    };
    using Buckets = std::unique_ptr<Bucket, Free>;

    /// Allocates in huge pages if the system has them: nearly every access to a large table is to another
    /// page.
    static Buckets allocate(std::size_t size) {
        constexpr std::size_t page = std::size_t{1} << 21;
        const std::size_t bytes = size * sizeof(Bucket);
        const std::align_val_t alignment{bytes < page ? sizeof(Bucket) : page};
        void* memory = ::operator new(bytes, alignment);
#ifdef MADV_HUGEPAGE
        if (bytes >= page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        return Buckets(new (memory) Bucket[size], Free{alignment});
    }

    std::size_t size_;  // a power of two
    Buckets buckets_;
    std::uint64_t generation_ = 0;
};

}  // namespace sparring::search
