// A seeded random generator with the same numbers on every machine.
#pragma once

#include <cstdint>
#include <type_traits>

namespace sparring {

/// SplitMix64 (Steele, Lea and Flood 2014): small, fast, sufficient for playouts and hash keys.
class Random {
 public:
    constexpr explicit Random(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    /// A number below `bound` (Lemire's multiplication; its bias is below bound / 2^32).
    constexpr std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

 private:
    std::uint64_t state_;
};

/// Fills an array, or an array of arrays, with random numbers.
template <class T>
constexpr void fill(T& numbers, Random& random) {
    if constexpr (std::is_array_v<T>) {
        for (auto& part : numbers) fill(part, random);
    } else {
        numbers = random.next();
    }
}

}  // namespace sparring
