// Rows of a link trace that may repeat: their times, and the summary of any run of them.
#pragma once

#include <cstdint>

#include "core/row_summary.h"
#include "core/trace_clock.h"

namespace clift {

class RowClock : public TraceClock<LinkRow> {
 public:
  RowClock(LinkRows rows, const Playback& playback) : TraceClock(rows, playback), summaries_(rows) {}

  // Summary of the rows begin .. end - 1; all of them lie before the end of the trace.
  RowSummary summary(std::int64_t begin, std::int64_t end) const {
    if (!are_near(begin, end)) return summary_across(begin, end);
    return later_by(summaries_.of(near_index(begin), near_index(end)), near_shift_ns());
  }

 private:
  static RowSummary later_by(RowSummary summary, Nanoseconds shift_ns) {
    summary.sent_ns = sum_of(summary.sent_ns, shift_ns);
    summary.settled_ns = sum_of(summary.settled_ns, shift_ns);
    return summary;
  }

  // Summary of rows in several repetitions, or in one that is not near.
  RowSummary summary_across(std::int64_t begin, std::int64_t end) const;

  RowSummaries summaries_;
};

}  // namespace clift
