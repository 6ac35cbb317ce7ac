// What a run of consecutive rows comes to, without looking at each of them.
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

// Answers for any run of rows of one trace. The fate of an unsettled row counts as settled at the trace's last tx.
//
// Each row knows how far back the next row lies that is settled later than itself. From the last row of a run it goes
// back so until the next step would leave the run: what is reached is settled last. Rows are mostly settled in order, or
// a few of them late, so that it is one step or none. How far back the next lost row lies says whether the run holds one.
class RowSummaries {
 public:
  explicit RowSummaries(LinkRows rows);

  // Summary of the rows begin .. end - 1, with begin < end <= rows.count.
  RowSummary of(std::size_t begin, std::size_t end) const {
    if (end - begin > farthest) return of_long(begin, end);
    // Runs mostly come in order and are as long as the one before. What the next one needs is on its way meanwhile: its
    // last row, and rows at which it may begin. (In a function of its own, gcc takes this for something without effect.)
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

  // From a row back to the nearest one of a kind; `farthest` when that is as far or farther, or there is none.
  struct Back {
    std::uint8_t later;            // settled later than this one
    std::uint8_t lost, unsettled;  // 0: this one is
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
