// How long a search may go on, and the line of play that led to it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace sparring::search {

/// No line is searched further than this, quiescence included.
constexpr int max_ply = 100;

struct Limits {
    int depth = max_ply / 2;
    std::uint64_t nodes = std::numeric_limits<std::uint64_t>::max();  // for each thread
    double seconds = std::numeric_limits<double>::infinity();
};

/// What is left of the limits; shared by the threads of a search.
class SearchStopper {
 public:
    SearchStopper(const Limits& limits, const std::atomic<bool>& stop)
        : limits_(limits), stop_(stop), start_(std::chrono::steady_clock::now()) {}

    int depth() const { return limits_.depth; }
    void stop_all() { stopped_.store(true, std::memory_order_relaxed); }
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

    /// Whether a thread that has seen so many positions is to end. The clock is looked at now and then.
    bool should_stop(std::uint64_t nodes) {
        if (nodes % 1024 == 0 && (stop_.load(std::memory_order_relaxed) || seconds() >= limits_.seconds))
            stop_all();
        return nodes >= limits_.nodes || stopped_.load(std::memory_order_relaxed);
    }

 private:
    Limits limits_;
    const std::atomic<bool>& stop_;
    std::chrono::steady_clock::time_point start_;
    std::atomic<bool> stopped_{false};
};

/// The keys of the positions before the root that could still come again.
class PositionHistory {
 public:
    void add(std::uint64_t key) {
        keys_.push_back(key);
        ++filter_[key % filter_.size()];
    }
    int visits(std::uint64_t key) const {
        if (!filter_[key % filter_.size()]) return 0;
        int count = 0;
        for (const std::uint64_t each : keys_) count += each == key;
        return count;
    }
    /// The most visits that any of them had.
    int max_visits() const {
        int result = 0;
        for (const std::uint64_t each : keys_) result = std::max(result, visits(each));
        return result;
    }

 private:
    std::vector<std::uint64_t> keys_;
    std::array<std::uint16_t, 1024> filter_{};  // how many keys fall here: most questions are answered by a 0
};

}  // namespace sparring::search
