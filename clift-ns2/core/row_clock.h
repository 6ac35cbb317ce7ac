// Rows of a link trace that may repeat: their times, and what any run of them comes to.
#pragma once

#include <cstdint>

#include "core/row_summary.h"
#include "core/trace_clock.h"

namespace clift {

class RowClock : public TraceClock<LinkRow> {
 public:
  // A trace that repeats has at least two rows.
  RowClock(LinkRows rows, bool repeats) : TraceClock(rows, repeats), summaries_(rows) {}

  // Summary of the rows begin .. end - 1; none of them lies beyond the end of the trace.
  RowSummary summary(std::int64_t begin, std::int64_t end) const;

 private:
  RowSummaries summaries_;
};

}  // namespace clift
