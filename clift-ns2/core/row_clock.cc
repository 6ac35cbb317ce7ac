#include "core/row_clock.h"

#include <algorithm>

namespace clift {

namespace {

Nanoseconds period_of(LinkRows rows) {
  __extension__ using Wide = __int128;
  const Wide span = rows[rows.count - 1].tx_time_ns - rows[0].tx_time_ns;
  const Wide n = static_cast<Wide>(rows.count);
  return static_cast<Nanoseconds>(std::min<Wide>((span * n + (n - 1) / 2) / (n - 1), never));
}

RowSummary later_by(RowSummary summary, Nanoseconds shift_ns) {
  summary.settled_ns = sum_of(summary.settled_ns, shift_ns);
  return summary;
}

}  // namespace

RowClock::RowClock(LinkRows rows, bool repeats)
    : rows_(rows),
      count_(static_cast<std::int64_t>(rows.count)),
      repeats_(repeats),
      period_ns_(repeats ? period_of(rows) : 0),
      summaries_(rows) {}

Nanoseconds RowClock::tx_time_ns(std::int64_t row) const {
  const Nanoseconds tx = rows_[static_cast<std::size_t>(row % count_)].tx_time_ns;
  return repeats_ ? sum_of(tx, product_of(row / count_, period_ns_)) : tx;
}

std::int64_t RowClock::first_from(Nanoseconds time_ns, std::int64_t hint) const {
  // Gallop away from the hint, then halve: what is looked for is mostly near.
  const auto later = [&](std::int64_t row) { return (!repeats_ && row >= count_) || tx_time_ns(row) >= time_ns; };
  if (later(hint)) return hint;
  std::int64_t early = hint, step = 1;
  while (!later(early + step)) {
    early += step;
    step *= 2;
  }
  std::int64_t late = repeats_ ? early + step : std::min(early + step, count_);
  while (late - early > 1) {
    const std::int64_t middle = early + (late - early) / 2;
    (later(middle) ? late : early) = middle;
  }
  return late;
}

RowSummary RowClock::summary(std::int64_t begin, std::int64_t end) const {
  const std::int64_t first = begin / count_, last = (end - 1) / count_;
  const auto local = [&](std::int64_t row, std::int64_t cycle) { return static_cast<std::size_t>(row - cycle * count_); };
  const Nanoseconds last_shift = product_of(last, period_ns_);
  if (first == last) return later_by(summaries_.of(local(begin, first), local(end, first)), last_shift);

  const RowSummary head = summaries_.of(local(begin, first), rows_.count);
  const RowSummary tail = later_by(summaries_.of(0, local(end, last)), last_shift);
  const RowSummary ends = joined(later_by(head, product_of(first, period_ns_)), tail);
  const std::int64_t whole = last - first - 1;
  if (whole == 0) return ends;
  RowSummary middle = later_by(summaries_.of(0, rows_.count), product_of(last - 1, period_ns_));
  middle.lost *= whole;
  middle.unsettled *= whole;
  return joined(ends, middle);
}

}  // namespace clift
