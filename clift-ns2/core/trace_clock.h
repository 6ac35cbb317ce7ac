// Rows of a trace that may repeat, numbered through: the sending time of each, and the first row after a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/playback.h"
#include "core/time.h"
#include "core/trace_file.h"

namespace clift {

// Rows of a trace that have been sent, repetitions included, up to some moment.
struct RowUse {
  std::int64_t offered;  // since simulated time 0
  std::int64_t used;     // carried packets, or parts of them
  std::int64_t repeats;  // restarts of the trace
  std::int64_t offered_bytes;  // sizes of the rows offered
  std::int64_t used_bytes;     // of those, taken by packets; padding counts, the rest of a packed row does not
};

// Row `i` of the numbering is row `i mod n` of the trace in its repetition `i div n`. A repetition lasts the trace's
// length; without one, it lasts (last tx - first tx) * n / (n - 1), rounded: from its first row on, and two repetitions
// are one mean distance between rows apart.
template <class Row>
class TraceClock {
 public:
  // The rows can be played so; see `check_playback`.
  TraceClock(TraceRows<Row> rows, const Playback& playback)
      : rows_(rows),
        count_(static_cast<std::int64_t>(rows.count)),
        repeats_(playback.loop),
        begin_ns_(playback.length_ns > 0 ? playback.begin_ns : rows[0].tx_time_ns),
        period_ns_(playback.length_ns > 0 ? playback.length_ns : repeats_ ? period_of(rows) : 0),
        rows_per_ns_(playback.length_ns > 0 ? static_cast<double>(rows.count) / static_cast<double>(playback.length_ns)
                     : rows.count > 1 ? static_cast<double>(rows.count - 1) / static_cast<double>(span_of(rows))
                                      : 0.0) {}

  bool ends_before(std::int64_t row) const { return !repeats_ && row > count_; }
  std::int64_t count() const { return count_; }
  std::int64_t repetition_of(std::int64_t row) const { return row / count_; }

  // The repetition that lasts at a time; the first one lasts also before it begins, and for ever if there is no other.
  std::int64_t repetition_at(Nanoseconds time_ns) const {
    return repeats_ && time_ns > begin_ns_ ? (time_ns - begin_ns_) / period_ns_ : 0;
  }

  // Time from the first repetition to this one.
  Nanoseconds shift_ns(std::int64_t repetition) const { return product_of(repetition, period_ns_); }

  // Place of a row of the numbering.
  struct Place {
    std::size_t index;     // in the trace
    Nanoseconds shift_ns;  // from the first repetition to the row's
  };

  Place place_of(std::int64_t row) const {
    const auto index = static_cast<std::size_t>(row - near_row_);
    if (index < rows_.count) return {index, near_shift_ns_};
    return {static_cast<std::size_t>(row % count_), shift_ns(row / count_)};
  }

  // Speeds up look-ups in the repetition of that row by saving a division: rows are mostly read in order.
  void stay_near(std::int64_t row) {
    if (row - near_row_ < count_ || !repeats_) return;
    near_row_ = row / count_ * count_;
    near_shift_ns_ = shift_ns(row / count_);
  }

  // Whether the rows begin .. end - 1 lie in the repetition with fast look-ups.
  bool are_near(std::int64_t begin, std::int64_t end) const { return begin >= near_row_ && end - near_row_ <= count_; }
  std::size_t near_index(std::int64_t row) const { return static_cast<std::size_t>(row - near_row_); }
  Nanoseconds near_shift_ns() const { return near_shift_ns_; }

  const Row& row(std::int64_t row) const { return rows_[place_of(row).index]; }

  Nanoseconds tx_time_ns(std::int64_t row) const {
    const Place place = place_of(row);
    return sum_of(rows_[place.index].tx_time_ns, place.shift_ns);
  }

  // First row whose tx is not earlier than `time_ns`, from row `hint` on (all rows before that are earlier);
  // the number of rows when the trace ends before.
  std::int64_t first_from(Nanoseconds time_ns, std::int64_t hint) const {
    if (!is_before(hint, time_ns)) return hint;
    return first_beyond(time_ns, hint);
  }

 private:
  bool is_before(std::int64_t row, Nanoseconds time_ns) const {
    return (repeats_ || row < count_) && tx_time_ns(row) < time_ns;
  }

  // The same if row `early` is before `time_ns`: gallops away from the estimate for evenly spaced rows, then bisects.
  std::int64_t first_beyond(Nanoseconds time_ns, std::int64_t early) const {
    constexpr double farthest = 1e18;
    const double distance = std::min(static_cast<double>(time_ns - tx_time_ns(early)) * rows_per_ns_, farthest);
    std::int64_t late = early + 1 + static_cast<std::int64_t>(distance), step = 1;
    if (is_before(late, time_ns)) {
      for (early = late; is_before(early + step, time_ns); step *= 2) early += step;
      late = early + step;
    } else {
      for (; late - step > early && !is_before(late - step, time_ns); step *= 2) late -= step;
      early = std::max(early, late - step);
    }
    if (!repeats_) late = std::min(late, count_);
    while (late - early > 1) {
      const std::int64_t middle = early + (late - early) / 2;
      (is_before(middle, time_ns) ? early : late) = middle;
    }
    return late;
  }

  static Nanoseconds span_of(TraceRows<Row> rows) { return rows.last_tx_ns() - rows[0].tx_time_ns; }

  static Nanoseconds period_of(TraceRows<Row> rows) {
    __extension__ using Wide = __int128;
    const Wide span = span_of(rows);
    const Wide n = static_cast<Wide>(rows.count);
    return static_cast<Nanoseconds>(std::min<Wide>((span * n + (n - 1) / 2) / (n - 1), never));
  }

  TraceRows<Row> rows_;
  std::int64_t count_;
  bool repeats_;
  Nanoseconds begin_ns_;  // of the first repetition
  Nanoseconds period_ns_;
  double rows_per_ns_;             // in the mean
  std::int64_t near_row_ = 0;      // first row of the repetition with fast look-ups
  Nanoseconds near_shift_ns_ = 0;  // time from the first repetition to that one
};

}  // namespace clift
