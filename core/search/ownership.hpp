// A guard against two threads in one search tree.
#pragma once

#include <atomic>
#include <stdexcept>

namespace sparring::search {

/// Lets one thread at a time into a tree. A copy is free.
class Ownership {
 public:
    Ownership() = default;
    Ownership(const Ownership&) noexcept {}
    Ownership& operator=(const Ownership&) noexcept { return *this; }

    /// Holds the tree until it is destroyed. Throws std::logic_error if another thread holds it.
    class Guard {
     public:
        explicit Guard(std::atomic<bool>& busy) : busy_(busy) {
            if (busy_.exchange(true)) throw std::logic_error("the tree is in use by another thread");
        }
        ~Guard() { busy_ = false; }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

     private:
        std::atomic<bool>& busy_;
    };

    Guard hold() const { return Guard(busy_); }

 private:
    mutable std::atomic<bool> busy_ = false;
};

}  // namespace sparring::search
