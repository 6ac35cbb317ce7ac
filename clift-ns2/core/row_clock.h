// Rows of a link trace that may repeat, numbered through: when each is sent, and which comes first after a time.
#pragma once

#include <cstdint>

#include "core/link_trace.h"
#include "core/row_summary.h"
#include "core/time.h"

namespace clift {

// Row `i` of the numbering is row `i mod n` of the trace in its repetition `i div n`. A repetition lasts
// (last tx - first tx) * n / (n - 1), rounded: the mean distance between rows also stands between two repetitions.
class RowClock {
 public:
  // A trace that repeats has at least two rows.
  RowClock(LinkRows rows, bool repeats);

  bool ends_before(std::int64_t row) const { return !repeats_ && row > count_; }
  std::int64_t repetition_of(std::int64_t row) const { return row / count_; }
  Nanoseconds tx_time_ns(std::int64_t row) const;

  // First row whose tx is not earlier than `time_ns`, from row `hint` on (all rows before that are earlier);
  // the number of rows when the trace ends before.
  std::int64_t first_from(Nanoseconds time_ns, std::int64_t hint) const;

  // Summary of the rows begin .. end - 1; none of them lies beyond the end of the trace.
  RowSummary summary(std::int64_t begin, std::int64_t end) const;

 private:
  LinkRows rows_;
  std::int64_t count_;
  bool repeats_;
  Nanoseconds period_ns_ = 0;
  RowSummaries summaries_;
};

}  // namespace clift
