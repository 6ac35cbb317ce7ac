#include "core/row_bytes.h"

namespace clift {

// Starts at the byte's row if all rows had the mean size; gallops away from there, then bisects.
RowBytes::Place RowBytes::search(std::size_t index, std::int64_t bytes) const {
  std::int64_t first = static_cast<std::int64_t>(index), target = before_[index] + bytes, rows_on = -first;
  if (const std::int64_t total = before_.back(); target > total) {
    const std::int64_t repetitions = (target - 1) / total;
    rows_on += repetitions * count_;
    target -= repetitions * total;
    bytes = target;
    first = 0;
  }
  // The byte's row is `early` or later, and before `late`.
  const auto begins_before = [&](std::int64_t row) { return before_[static_cast<std::size_t>(row)] < target; };
  std::int64_t early = first, late = count_, step = 1;
  const double rows = static_cast<double>(bytes) * rows_per_byte_;
  const std::int64_t guess = std::min(first + static_cast<std::int64_t>(rows - 0.5), count_ - 1);
  if (begins_before(guess)) {
    for (early = guess; early + step < count_ && begins_before(early + step); step *= 2) early += step;
    late = std::min(early + step, count_);
  } else {
    for (late = guess; late - step > early && !begins_before(late - step); step *= 2) late -= step;
    early = std::max(early, late - step);
  }
  while (late - early > 1) {
    const std::int64_t middle = early + (late - early) / 2;
    (begins_before(middle) ? early : late) = middle;
  }
  return {rows_on + early, before_[static_cast<std::size_t>(early) + 1] - target};
}

}  // namespace clift
