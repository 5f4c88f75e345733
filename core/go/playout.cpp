#include "go/playout.hpp"

#include <utility>
#include <vector>

namespace sparring::go {

namespace {

/// A set of keys: open addressing, doubled when half full.
class KeySet {
 public:
    explicit KeySet(std::size_t expected) {
        std::size_t slots = 64;
        while (slots < 2 * expected) slots *= 2;
        slots_.resize(slots);
    }

    bool contains(std::uint64_t key) const { return slots_[slot(key)] == key; }

    void insert(std::uint64_t key) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        std::uint64_t& place = slots_[slot(key)];
        count_ += place != key;
        place = key;
    }

 private:
    /// The slot of the key, or the free slot (0) for it.
    std::size_t slot(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = key & mask;
        while (slots_[i] != 0 && slots_[i] != key) i = (i + 1) & mask;
        return i;
    }

    void grow() {
        const std::vector<std::uint64_t> old =
            std::exchange(slots_, std::vector<std::uint64_t>(2 * slots_.size()));
        for (const std::uint64_t key : old) {
            if (key != 0) slots_[slot(key)] = key;
        }
    }

    std::vector<std::uint64_t> slots_;
    std::size_t count_ = 0;
};

}  // namespace

PlayoutResult playout(const State<Position>& state, std::uint64_t seed, std::uint32_t limit) {
    Position position = state.position();
    const bool superko = position.rules().ko != KoRule::simple;
    KeySet seen(superko ? state.node().ply + 1024 : 0);
    if (superko) {
        for (const auto* node = &state.node(); node; node = node->previous.get())
            seen.insert(node->position.key());
    }
    // Rejection sampling makes all legal moves equally likely. It ends, since the pass is always legal.
    Random random(seed);
    const auto codes = static_cast<std::uint32_t>(position.pass()) + 1;
    std::uint32_t plies = 0;
    while (position.passes() < 2 && plies < limit) {
        const auto move = static_cast<Move>(random.below(codes));
        if (move != position.pass()) {
            if (!position.playable(move)) continue;
            if (position.needs_superko_check(move) && seen.contains(position.key_after(move))) continue;
        }
        position.play(move);
        if (superko) seen.insert(position.key());
        ++plies;
    }
    return {position.passes() < 2 ? Outcome{} : position.result(), plies};
}

}  // namespace sparring::go
