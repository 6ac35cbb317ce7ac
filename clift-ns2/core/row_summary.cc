#include "core/row_summary.h"

namespace clift {

// From the last row to the first. Bit k of `later` says that row i + k is settled later than all from i up to it, so
// that the highest bit in a window stands for the latest of its rows.
RowSummaries::RowSummaries(LinkRows rows)
    : rows_(rows), last_tx_ns_(rows[rows.count - 1].tx_time_ns), short_(rows.count), long_(rows.count) {
  using Bits = std::uint32_t;
  static_assert(long_window == 32, "one bit for each row of a window");
  constexpr Bits near = (Bits{1} << short_window) - 1;
  Bits later = 0, lost = 0, unsettled = 0;
  Nanoseconds settled_ns[long_window] = {};  // of the rows from i on, at their number modulo 32
  for (std::size_t i = rows.count; i-- > 0;) {
    const RowSummary here = row(i);
    settled_ns[i % long_window] = here.settled_ns;
    later <<= 1;
    while (later != 0 && settled_ns[(i + __builtin_ctz(later)) % long_window] <= here.settled_ns) later &= later - 1;
    later |= 1;
    lost = lost << 1 | here.lost;
    unsettled = unsettled << 1 | here.unsettled;
    const auto window = [&](Bits inside) {
      const unsigned latest = 31 - static_cast<unsigned>(__builtin_clz(later & inside));
      const unsigned flags = ((lost & inside) != 0 ? lost_bit : 0) | ((unsettled & inside) != 0 ? unsettled_bit : 0);
      return static_cast<std::uint8_t>(latest | flags);
    };
    short_[i] = window(near);
    long_[i] = window(~Bits{0});
  }
}

}  // namespace clift
