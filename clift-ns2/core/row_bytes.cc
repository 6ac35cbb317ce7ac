#include "core/row_bytes.h"

namespace clift {

// Starts at the byte's row if all rows had the mean size; gallops away from there, then bisects.
RowBytes::Place RowBytes::place_among(std::size_t index, std::int64_t bytes) const {
  const std::int64_t total = ends_.back();
  std::int64_t target = before(index) + bytes, rows_on = -static_cast<std::int64_t>(index);
  std::int64_t early = static_cast<std::int64_t>(index) - 1;  // its end is before the byte
  if (target > total) {
    const std::int64_t repetitions = (target - 1) / total;
    target -= repetitions * total;
    rows_on += repetitions * count_;
    early = -1;
    bytes = target;
  }
  const auto is_before = [&](std::int64_t row) { return row < 0 || ends_[static_cast<std::size_t>(row)] < target; };
  const double rows = static_cast<double>(bytes) * rows_per_byte_;
  std::int64_t late = std::min(early + 1 + static_cast<std::int64_t>(rows - 0.5), count_ - 1);
  std::int64_t step = 1;
  if (is_before(late)) {
    early = late;
    for (; early + step < count_ && is_before(early + step); step *= 2) early += step;
    late = std::min(early + step, count_ - 1);
  } else {
    for (; late - step > early && !is_before(late - step); step *= 2) late -= step;
    early = std::max(early, late - step);
  }
  while (late - early > 1) {
    const std::int64_t middle = early + (late - early) / 2;
    (is_before(middle) ? early : late) = middle;
  }
  // Packets mostly come in order, and take as many rows as the previous packet.
  const std::int64_t rows_taken = late + 1 - static_cast<std::int64_t>(index);
  const std::int64_t next = std::clamp(late + rows_taken, std::int64_t{0}, count_ - 1);
  __builtin_prefetch(&ends_[static_cast<std::size_t>(next)]);
  return {rows_on + late, ends_[static_cast<std::size_t>(late)] - target};
}

}  // namespace clift
