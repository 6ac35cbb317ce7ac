#include "core/row_clock.h"

namespace clift {

namespace {

RowSummary later_by(RowSummary summary, Nanoseconds shift_ns) {
  summary.settled_ns = sum_of(summary.settled_ns, shift_ns);
  return summary;
}

}  // namespace

RowSummary RowClock::summary(std::int64_t begin, std::int64_t end) const {
  const std::int64_t first = begin / count(), last = (end - 1) / count();
  const auto whole_trace = static_cast<std::size_t>(count());
  const auto local = [&](std::int64_t row, std::int64_t cycle) {
    return static_cast<std::size_t>(row - cycle * count());
  };
  if (first == last) return later_by(summaries_.of(local(begin, first), local(end, first)), shift_ns(last));

  const RowSummary head = summaries_.of(local(begin, first), whole_trace);
  const RowSummary tail = later_by(summaries_.of(0, local(end, last)), shift_ns(last));
  const RowSummary ends = joined(later_by(head, shift_ns(first)), tail);
  if (last - first == 1) return ends;
  return joined(ends, later_by(summaries_.of(0, whole_trace), shift_ns(last - 1)));
}

}  // namespace clift
