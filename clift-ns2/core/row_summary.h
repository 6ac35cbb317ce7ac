// Summary of a run of consecutive rows, without a look at each of them.
#pragma once

#include <algorithm>
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

// Summaries of any run of rows of one trace. An unsettled row counts as settled at the trace's last tx.
//
// Each row stores the distance back to the nearest row that is settled later. A search starts at the last row of a run
// and follows these distances until the next step would leave the run: it ends at the row that is settled last. Rows
// are mostly settled in order, or a few of them late, so the search takes one step or none. The distance back to the
// last lost row tells whether the run holds one.
class RowSummaries {
 public:
  explicit RowSummaries(LinkRows rows);

  // Summary of the rows begin .. end - 1, with begin < end <= rows.count.
  RowSummary of(std::size_t begin, std::size_t end) const {
    if (end - begin > farthest) return of_long(begin, end);
    // Runs mostly come in order and have the length of the previous run. This prefetches the next run's last row, and
    // the rows at which it may begin. (Keep inline: gcc drops out-of-line prefetches.)
    const std::size_t next = std::min(end + (end - begin), rows_.count) - 1;
    for (std::size_t i = end; i < std::min(next, end + 32); i += 4) __builtin_prefetch(&rows_[i]);
    __builtin_prefetch(&rows_[next]);
    __builtin_prefetch(&back_[next]);

    std::size_t latest = end - 1;
    const Back& last = back_[latest];
    const bool lost = last.lost <= latest - begin, unsettled = last.unsettled <= latest - begin;
    while (back_[latest].later <= latest - begin) latest -= back_[latest].later;
    return {settled_ns(latest), lost, unsettled};
  }

 private:
  static constexpr unsigned farthest = 255;

  // Distance back to the nearest row of a kind; `farthest` if it is as far or farther, or if there is none.
  struct Back {
    std::uint8_t later;            // settled later than this row
    std::uint8_t lost, unsettled;  // 0: this row is lost, or unsettled
  };

  RowSummary of_long(std::size_t begin, std::size_t end) const;

  Nanoseconds settled_ns(std::size_t i) const {
    const LinkRow& row = rows_[i];
    return row.delay_ns == schema::unsettled ? last_tx_ns_ : sum_of(row.tx_time_ns, row.delay_ns);
  }

  LinkRows rows_;
  Nanoseconds last_tx_ns_;
  std::vector<Back> back_;  // one for each row
};

}  // namespace clift
