#include "core/row_summary.h"

#include <algorithm>

namespace clift {

RowSummaries::RowSummaries(LinkRows rows)
    : rows_(rows), last_tx_ns_(rows.last_tx_ns()), back_(rows.count) {
  const auto capped = [](std::size_t distance) {
    return static_cast<std::uint8_t>(std::min<std::size_t>(distance, farthest));
  };
  std::size_t failed = farthest, lost = farthest;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const bool open = rows[i].delay_ns == schema::unsettled;
    lost = !open && rows[i].delivered == 0 ? 0 : lost + 1;
    failed = open ? 0 : std::min(failed + 1, lost);
    // Rows in between are settled no later than the row that skipped them.
    const Nanoseconds here_ns = settled_ns(i);
    std::size_t later = 1;
    while (later < farthest && later <= i && settled_ns(i - later) <= here_ns) later += back_[i - later].later;
    back_[i] = {capped(later <= i ? later : farthest), capped(failed), capped(lost)};
  }
}

RowSummary RowSummaries::of_long(std::size_t begin, std::size_t end) const {
  RowSummary summary;
  for (std::size_t part = begin; part < end; part += farthest) {
    summary = joined(summary, of(part, std::min<std::size_t>(part + farthest, end)));
  }
  return summary;
}

}  // namespace clift
