#include "core/row_clock.h"

namespace clift {

RowSummary RowClock::summary_across(std::int64_t begin, std::int64_t end) const {
  const auto whole_trace = static_cast<std::size_t>(count());
  const Place first = place_of(begin), last = place_of(end - 1);
  const std::int64_t further = repetition_of(end - 1) - repetition_of(begin);
  if (further == 0) return later_by(summaries_.of(first.index, last.index + 1), first.shift_ns);
  const RowSummary head = later_by(summaries_.of(first.index, whole_trace), first.shift_ns);
  const RowSummary tail = later_by(summaries_.of(0, last.index + 1), last.shift_ns);
  const RowSummary ends = joined(head, tail);
  if (further == 1) return ends;
  return joined(ends, later_by(summaries_.of(0, whole_trace), shift_ns(repetition_of(end - 1) - 1)));
}

}  // namespace clift
