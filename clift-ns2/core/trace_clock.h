// Rows of a trace that may repeat, numbered through: when each is sent, and which comes first after a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/time.h"
#include "core/trace_file.h"

namespace clift {

// Row `i` of the numbering is row `i mod n` of the trace in its repetition `i div n`. A repetition lasts
// (last tx - first tx) * n / (n - 1), rounded: the mean distance between rows also stands between two repetitions.
template <class Row>
class TraceClock {
 public:
  // A trace that repeats has at least two rows.
  TraceClock(TraceRows<Row> rows, bool repeats)
      : rows_(rows),
        count_(static_cast<std::int64_t>(rows.count)),
        repeats_(repeats),
        period_ns_(repeats ? period_of(rows) : 0) {}

  bool ends_before(std::int64_t row) const { return !repeats_ && row > count_; }
  std::int64_t count() const { return count_; }
  std::int64_t repetition_of(std::int64_t row) const { return row / count_; }

  // How much later a repetition is than the first.
  Nanoseconds shift_ns(std::int64_t repetition) const { return product_of(repetition, period_ns_); }

  const Row& row(std::int64_t row) const { return rows_[static_cast<std::size_t>(row % count_)]; }

  Nanoseconds tx_time_ns(std::int64_t row) const {
    const Nanoseconds tx = rows_[static_cast<std::size_t>(row % count_)].tx_time_ns;
    return repeats_ ? sum_of(tx, shift_ns(row / count_)) : tx;
  }

  // First row whose tx is not earlier than `time_ns`, from row `hint` on (all rows before that are earlier);
  // the number of rows when the trace ends before.
  std::int64_t first_from(Nanoseconds time_ns, std::int64_t hint) const {
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

 private:
  static Nanoseconds period_of(TraceRows<Row> rows) {
    __extension__ using Wide = __int128;
    const Wide span = rows[rows.count - 1].tx_time_ns - rows[0].tx_time_ns;
    const Wide n = static_cast<Wide>(rows.count);
    return static_cast<Nanoseconds>(std::min<Wide>((span * n + (n - 1) / 2) / (n - 1), never));
  }

  TraceRows<Row> rows_;
  std::int64_t count_;
  bool repeats_;
  Nanoseconds period_ns_;
};

}  // namespace clift
