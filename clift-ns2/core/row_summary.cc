#include "core/row_summary.h"

#include <algorithm>

namespace clift {

RowSummaries::RowSummaries(LinkRows rows) : rows_(rows) {
  levels_.push_back(level_of(rows.count, [this](std::size_t i) { return row(i); }));
  while (levels_.back().blocks.size() > 1) {
    const std::vector<Block>& below = levels_.back().blocks;
    levels_.push_back(level_of(below.size(), [&below](std::size_t i) -> RowSummary {
      return {below[i].settled_ns, below[i].lost != 0, below[i].unsettled != 0};
    }));
  }
}

// `summary(i)` tells of item i.
template <class Summary>
RowSummaries::Level RowSummaries::level_of(std::size_t count, Summary summary) {
  Level level{std::vector<Bits>(count), std::vector<Block>((count + block_size - 1) / block_size)};
  Nanoseconds settled_ns[block_size];
  Bits latest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i % block_size;
    const Bits here = Bits{1} << place;
    const RowSummary item = summary(i);
    settled_ns[place] = item.settled_ns;
    if (place == 0) latest = 0;
    while (latest != 0) {
      const int top = 31 - __builtin_clz(latest);
      if (settled_ns[top] > item.settled_ns) break;
      latest ^= Bits{1} << top;
    }
    latest |= here;
    level.latest[i] = latest;
    Block& block = level.blocks[i / block_size];
    block.settled_ns = std::max(block.settled_ns, item.settled_ns);
    if (item.lost) block.lost |= here;
    if (item.unsettled) block.unsettled |= here;
  }
  return level;
}

RowSummary RowSummaries::of(std::size_t begin, std::size_t end) const {
  RowSummary summary;
  for (std::size_t level = 0; begin < end; ++level) {
    const std::size_t first_block = begin / block_size, last_block = (end - 1) / block_size;
    if (first_block == last_block) return joined(summary, part(level, begin, end - 1));
    summary = joined(summary, part(level, begin, first_block * block_size + block_size - 1));
    summary = joined(summary, part(level, last_block * block_size, end - 1));
    begin = first_block + 1;
    end = last_block;
  }
  return summary;
}

// Items first .. last, which lie in one block.
RowSummary RowSummaries::part(std::size_t level, std::size_t first, std::size_t last) const {
  const std::vector<Bits>& latest = levels_[level].latest;
  const Block& block = levels_[level].blocks[first / block_size];
  const Bits not_before = ~Bits{0} << first % block_size;
  const Bits inside = not_before & ~Bits{0} >> (block_size - 1 - last % block_size);
  const auto place = static_cast<std::size_t>(__builtin_ctz(latest[last] & not_before));
  return {settled_ns(level, first / block_size * block_size + place), (block.lost & inside) != 0,
          (block.unsettled & inside) != 0};
}

Nanoseconds RowSummaries::settled_ns(std::size_t level, std::size_t item) const {
  return level == 0 ? row(item).settled_ns : levels_[level - 1].blocks[item].settled_ns;
}

RowSummary RowSummaries::row(std::size_t i) const {
  const LinkRow& row = rows_[i];
  if (row.delay_ns == schema::unsettled) return {rows_[rows_.count - 1].tx_time_ns, false, true};
  return {sum_of(row.tx_time_ns, row.delay_ns), row.delivered == 0, false};
}

}  // namespace clift
