// What a run of consecutive rows comes to, without looking at each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace_file.h"
#include "core/time.h"

namespace clift {

// Rows first .. first + count - 1, taken together.
struct RowSummary {
  Nanoseconds settled_ns = 0;  // when the last of their fates is settled: max(tx + delay)
  bool lost = false;           // the scheme gave up one or more
  bool unsettled = false;      // one or more were open when the trace ended
};

inline RowSummary joined(const RowSummary& a, const RowSummary& b) {
  return {a.settled_ns > b.settled_ns ? a.settled_ns : b.settled_ns, a.lost || b.lost, a.unsettled || b.unsettled};
}

// Answers for any run of rows of one trace. The fate of an unsettled row counts as settled at the trace's last tx.
//
// Rows lie in blocks of 32, and what is known of a block fills a cache line: 2 bytes per row in all. A run is parts of
// the blocks at its two ends and the whole blocks between them. Of a part that begins or ends with its block one row
// is looked at, at most; only a run inside a block, between rows that are settled later, is looked through.
class RowSummaries {
 public:
  explicit RowSummaries(LinkRows rows);

  // Summary of the rows begin .. end - 1, with begin < end <= rows.count.
  RowSummary of(std::size_t begin, std::size_t end) const {
    if (end - begin == 1) return row(begin);
    const std::size_t first_block = begin / block_size, last_block = (end - 1) / block_size;
    const std::size_t first = begin % block_size, last = (end - 1) % block_size;
    if (first_block == last_block) return part(first_block, first, last);
    RowSummary summary = part(first_block, first, block_size - 1);
    for (std::size_t block = first_block + 1; block < last_block; ++block) summary = joined(summary, whole(block));
    return joined(summary, part(last_block, 0, last));
  }

 private:
  using Bits = std::uint32_t;  // one for each row of a block
  static constexpr std::size_t block_size = 32;

  struct alignas(64) Block {
    Nanoseconds settled_ns = 0;  // the last of its rows
    Bits lost = 0;
    Bits unsettled = 0;
    Bits later_than_rest = 0;                    // rows settled later than all that follow them
    std::uint8_t latest_up_to[block_size] = {};  // [row]: which one is settled last of those up to it
  };

  RowSummary whole(std::size_t block) const {
    const Block& all = blocks_[block];
    return {all.settled_ns, all.lost != 0, all.unsettled != 0};
  }

  // Rows first .. last of a block.
  RowSummary part(std::size_t block, std::size_t first, std::size_t last) const {
    const Block& all = blocks_[block];
    const Bits inside = ~Bits{0} << first & ~Bits{0} >> (block_size - 1 - last);
    return {settled_ns(block, first, last), (all.lost & inside) != 0, (all.unsettled & inside) != 0};
  }

  Nanoseconds settled_ns(std::size_t block, std::size_t first, std::size_t last) const {
    const Block& all = blocks_[block];
    const std::size_t latest = all.latest_up_to[block_size - 1];
    if (first <= latest && latest <= last) return all.settled_ns;
    const Bits later = all.later_than_rest & ~Bits{0} << first;
    const std::size_t place = latest > last ? all.latest_up_to[last] : static_cast<std::size_t>(__builtin_ctz(later));
    if (first <= place && place <= last) return row(block * block_size + place).settled_ns;
    return looked_through(block * block_size + first, block * block_size + last);
  }

  Nanoseconds looked_through(std::size_t first, std::size_t last) const;

  RowSummary row(std::size_t i) const {
    const LinkRow& row = rows_[i];
    if (row.delay_ns == schema::unsettled) return {last_tx_ns_, false, true};
    return {sum_of(row.tx_time_ns, row.delay_ns), row.delivered == 0, false};
  }

  LinkRows rows_;
  Nanoseconds last_tx_ns_;
  std::vector<Block> blocks_;
};

}  // namespace clift
