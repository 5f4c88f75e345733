// Limits of an alpha-beta search, and the positions played before its root.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

namespace sparring::search {

/// The longest search path in plies, quiescence included.
constexpr int max_ply = 100;

struct Limits {
    int depth = max_ply / 2;
    std::uint64_t nodes = std::numeric_limits<std::uint64_t>::max();  // per thread
    double seconds = std::numeric_limits<double>::infinity();
    /// Asked every few milliseconds, by the thread that began the search; true stops it.
    std::function<bool()> interrupted;
};

/// Decides when a search stops; shared by its threads.
class SearchStopper {
 public:
    SearchStopper(const Limits& limits, const std::atomic<bool>& stop)
        : limits_(limits), stop_(stop), start_(std::chrono::steady_clock::now()) {}

    int depth() const { return limits_.depth; }
    void stop_all() { stopped_.store(true, std::memory_order_relaxed); }
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

    /// Whether a thread that has searched `nodes` positions must stop. The clock is read every 1024 nodes.
    bool should_stop(std::uint64_t nodes) {
        if (nodes % 1024 == 0 &&
            (stop_.load(std::memory_order_relaxed) || seconds() >= limits_.seconds || is_interrupted()))
            stop_all();
        return nodes >= limits_.nodes || stopped_.load(std::memory_order_relaxed);
    }

 private:
    bool is_interrupted() {
        if (!limits_.interrupted || std::this_thread::get_id() != owner_) return false;
        const double now = seconds();
        if (now < next_question_) return false;
        next_question_ = now + 0.02;
        return limits_.interrupted();
    }

    Limits limits_;
    const std::atomic<bool>& stop_;
    std::chrono::steady_clock::time_point start_;
    std::atomic<bool> stopped_{false};
    const std::thread::id owner_ = std::this_thread::get_id();
    double next_question_ = 0.02;  // used by the owner only
};

/// The keys of the positions before the root that can recur.
class PositionHistory {
 public:
    void add(std::uint64_t key) {
        keys_.push_back(key);
        ++filter_[key % filter_.size()];
    }
    /// The number of occurrences of a key.
    int visits(std::uint64_t key) const {
        if (!filter_[key % filter_.size()]) return 0;
        int count = 0;
        for (const std::uint64_t visited : keys_) count += visited == key;
        return count;
    }
    /// The largest number of occurrences of one key.
    int max_visits() const {
        int result = 0;
        for (const std::uint64_t key : keys_) result = std::max(result, visits(key));
        return result;
    }

 private:
    std::vector<std::uint64_t> keys_;
    std::array<std::uint16_t, 1024> filter_{};  // keys per bucket: most lookups end at a 0
};

}  // namespace sparring::search
