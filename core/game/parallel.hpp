// A parallel loop over a range.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sparring {

/// Calls `work(begin, end)` for blocks that cover [0, size), on up to `threads` threads including the
/// caller's. Rethrows the first exception after all threads have stopped.
template <class Work>
void parallel_for(std::size_t size, std::size_t block, unsigned threads, Work work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto run = [&] {
        try {
            for (std::size_t begin; (begin = next.fetch_add(block)) < size;)
                work(begin, std::min(begin + block, size));
        } catch (...) {
            next = size;
            const std::scoped_lock lock(failing);
            if (!failure) failure = std::current_exception();
        }
    };
    const std::size_t blocks = (size + block - 1) / block;
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, blocks); ++i) helpers.emplace_back(run);
    run();
    helpers.clear();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace sparring
