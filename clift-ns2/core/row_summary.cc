#include "core/row_summary.h"

#include <algorithm>

namespace clift {

RowSummaries::RowSummaries(LinkRows rows)
    : rows_(rows),
      last_tx_ns_(rows[rows.count - 1].tx_time_ns),
      blocks_((rows.count + block_size - 1) / block_size) {
  Nanoseconds settled_ns[block_size] = {};
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::size_t place = i % block_size;
    const Bits here = Bits{1} << place;
    Block& block = blocks_[i / block_size];
    const RowSummary item = row(i);
    settled_ns[place] = item.settled_ns;
    while (block.later_than_rest != 0) {
      const int before = 31 - __builtin_clz(block.later_than_rest);
      if (settled_ns[before] > item.settled_ns) break;
      block.later_than_rest ^= Bits{1} << before;
    }
    block.later_than_rest |= here;
    block.settled_ns = std::max(block.settled_ns, item.settled_ns);
    block.latest_up_to[place] = static_cast<std::uint8_t>(__builtin_ctz(block.later_than_rest));
    if (item.lost) block.lost |= here;
    if (item.unsettled) block.unsettled |= here;
  }
  // The last block may have less rows than others: what is latest of all of them stands at the end all the same.
  const std::size_t last = (rows.count - 1) % block_size;
  std::uint8_t* latest = blocks_.back().latest_up_to;
  std::fill(latest + last + 1, latest + block_size, latest[last]);
}

Nanoseconds RowSummaries::looked_through(std::size_t first, std::size_t last) const {
  Nanoseconds settled_ns = 0;
  for (std::size_t i = first; i <= last; ++i) settled_ns = std::max(settled_ns, row(i).settled_ns);
  return settled_ns;
}

}  // namespace clift
