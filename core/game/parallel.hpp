// Threads that are always joined, and a parallel loop over a range.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sparring {

/// Threads that are joined at the end of their scope. An exception of a thread does not end the process:
/// `join` rethrows the first.
class ThreadGroup {
 public:
    ThreadGroup() = default;
    ThreadGroup(const ThreadGroup&) = delete;
    ThreadGroup& operator=(const ThreadGroup&) = delete;
    ~ThreadGroup() { wait(); }

    /// Runs `work` in a new thread. Returns false if the system has no thread left.
    template <class Work>
    bool start(Work work) {
        try {
            threads_.emplace_back([this, work = std::move(work)] {
                try {
                    work();
                } catch (...) {
                    const std::scoped_lock lock(failing_);
                    if (!failure_) failure_ = std::current_exception();
                }
            });
        } catch (const std::system_error&) {
            return false;
        }
        return true;
    }

    /// Waits for all threads and rethrows the first exception of one.
    void join() {
        wait();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

 private:
    void wait() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

    std::mutex failing_;
    std::exception_ptr failure_;
    std::vector<std::thread> threads_;  // not std::jthread, which libc++ lacks
};

/// Calls `work(begin, end)` for blocks that cover [0, size), on up to `threads` threads including the
/// caller's. Rethrows the first exception after all threads have stopped.
template <class Work>
void parallel_for(std::size_t size, std::size_t block, unsigned threads, Work work) {
    std::atomic<std::size_t> next{0};
    const auto run = [&] {
        try {
            for (std::size_t begin; (begin = next.fetch_add(block)) < size;)
                work(begin, std::min(begin + block, size));
        } catch (...) {
            next = size;
            throw;
        }
    };
    const std::size_t blocks = (size + block - 1) / block;
    ThreadGroup helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, blocks); ++i) {
        if (!helpers.start(run)) break;
    }
    run();
    helpers.join();
}

}  // namespace sparring
