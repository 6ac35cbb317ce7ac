#include "core/row_bytes.h"

namespace clift {

// Gallops away from where the byte lies among rows of the mean size, then halves.
RowBytes::Place RowBytes::place_beyond(std::size_t index, std::int64_t bytes) const {
  const std::int64_t total = ends_.back();
  std::int64_t target = before(index) + bytes, rows_on = -static_cast<std::int64_t>(index);
  std::int64_t early = static_cast<std::int64_t>(index);  // its end is before the byte
  if (target > total) {
    const std::int64_t repetitions = (target - 1) / total;
    target -= repetitions * total;
    rows_on += repetitions * count_;
    early = -1;
    bytes = target;
  }
  const auto is_before = [&](std::int64_t row) { return row < 0 || ends_[static_cast<std::size_t>(row)] < target; };
  std::int64_t late = early + 1 + static_cast<std::int64_t>(static_cast<double>(bytes) * rows_per_byte_), step = 1;
  late = std::min(late, count_ - 1);
  if (is_before(late)) {
    for (early = late; early + step < count_ && is_before(early + step); step *= 2) early += step;
    late = std::min(early + step, count_ - 1);
  } else {
    for (; late - step > early && !is_before(late - step); step *= 2) late -= step;
    early = std::max(early, late - step);
  }
  while (late - early > 1) {
    const std::int64_t middle = early + (late - early) / 2;
    (is_before(middle) ? early : late) = middle;
  }
  return {rows_on + late, target - before(static_cast<std::size_t>(late))};
}

}  // namespace clift
