#include "rbc/board_set_builder.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "game/parallel.hpp"

namespace sparring::rbc {

namespace {

std::size_t slots_for(std::size_t sides) {
    return std::bit_ceil(std::max<std::size_t>(8, sides * 3 / 2 + 1));
}

}  // namespace

BoardSetBuilder::BoardSetBuilder(std::size_t limit, std::uint64_t salt, std::size_t expected)
    : limit_(std::max<std::size_t>(limit, 1)), salt_(salt) {
    for (Table& table : tables_) table.reserve_more(std::min(expected, limit) / run_count);
}

bool BoardSetBuilder::Table::insert(const HiddenSide& side, std::uint64_t hash) {
    if (side.empty()) return !std::exchange(has_empty, true);
    const std::size_t mask = slots.size() - 1;
    std::size_t i = hash & mask;
    for (; !slots[i].empty(); i = (i + 1) & mask) {
        if (slots[i] == side) return false;
    }
    slots[i] = side;
    ++size;
    return true;
}

void BoardSetBuilder::Table::reserve_more(std::size_t more) {
    if (slots_for(size + more) > slots.size()) rebuild(more, [](std::uint64_t) { return true; });
}

template <class Keep>
void BoardSetBuilder::Table::rebuild(std::size_t more, Keep keep) {
    const auto stays = [&](const HiddenSide& side) { return !side.empty() && keep(side.hash()); };
    const auto count = static_cast<std::size_t>(std::count_if(slots.begin(), slots.end(), stays));
    std::vector<HiddenSide> old(slots_for(count + more));
    old.swap(slots);
    size = 0;
    for (const HiddenSide& side : old) {
        if (stays(side)) insert(side, side.hash());
    }
}

void BoardSetBuilder::LocalBuffer::flush(std::size_t run) {
    Buffer& buffer = buffers_[run];
    std::size_t size;
    {
        const std::shared_lock adding(builder_.subsampling_);
        Table& table = builder_.tables_[run];
        const std::scoped_lock lock(table.mutex);
        table.reserve_more(buffer.size);
        // The table exceeds the caches: prefetch all slots first.
        const auto items = std::span(buffer.items).first(buffer.size);
        for (const Item& item : items)
            __builtin_prefetch(&table.slots[item.hash & (table.slots.size() - 1)], 1);
        std::size_t added = 0;
        for (const Item& item : items)
            added += builder_.kept(item.hash) && table.insert(item.side, item.hash);
        size = builder_.size_ += added;
    }
    buffer.size = 0;
    if (size > builder_.limit_) builder_.subsample();
}

void BoardSetBuilder::LocalBuffer::flush() {
    for (std::size_t run = 0; run < run_count; ++run) {
        if (buffers_[run].size) flush(run);
    }
}

void BoardSetBuilder::subsample() {
    const std::unique_lock alone(subsampling_);
    while (size_ > limit_ && level_ < 63) {
        ++level_;
        std::size_t size = 0;
        for (Table& table : tables_) {
            table.rebuild(0, [this](std::uint64_t hash) { return kept(hash); });
            size += table.size + table.has_empty;
        }
        size_ = size;
    }
}

BoardSetData BoardSetBuilder::finish(unsigned threads) {
    BoardSetData result;
    result.level = level_;
    for (std::size_t run = 0; run < run_count; ++run)
        result.runs[run + 1] = result.runs[run] + tables_[run].size + tables_[run].has_empty;
    result.sides.resize(result.runs.back());
    const std::size_t enough = 1 << 14;  // fewer are sorted faster by one thread
    parallel_for(run_count, 1, result.sides.size() < enough ? 1 : threads, [&](std::size_t run, std::size_t) {
        Table& table = tables_[run];
        const auto begin = result.sides.begin() + static_cast<std::ptrdiff_t>(result.runs[run]);
        auto end = std::copy_if(table.slots.begin(), table.slots.end(), begin,
                                [](const HiddenSide& side) { return !side.empty(); });
        if (table.has_empty) *end++ = {};
        table.slots = {};
        std::sort(begin, end);
    });
    size_ = 0;
    return result;
}

}  // namespace sparring::rbc
