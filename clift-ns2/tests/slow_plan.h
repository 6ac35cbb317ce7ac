// The delivery plan again, byte by byte: every row of every repetition is written out with its bytes, and every question
// is answered by walking over them.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/delivery_plan.h"
#include "tests/rows.h"

namespace clift {

class SlowPlan {
 public:
  // A trace that repeats is written out until `until_ns` of simulated time.
  SlowPlan(const Rows& trace, const Sizes& sizes, const PlanOptions& options, Nanoseconds until_ns) : options_(options) {
    const Nanoseconds last_ns = trace.back().tx_time_ns;
    const Nanoseconds span_ns = last_ns - trace.front().tx_time_ns;
    const bool rows_tell = options.length_ns == 0;
    const Nanoseconds begin_ns = rows_tell ? trace.front().tx_time_ns : options.begin_ns;
    for (std::int64_t repetition = 0; repetition == 0 || options.loop; ++repetition) {
      const Nanoseconds later_ns =
          repetition == 0 ? 0 : repetition * (rows_tell ? length(span_ns, trace.size()) : options.length_ns);
      const Nanoseconds shift_ns = later_ns - options.begin_ns - options.offset_ns;
      if (repetition > 0 && begin_ns + shift_ns > until_ns) break;
      if (repetition > 0) restarts_.push_back(begin_ns + shift_ns);
      for (std::size_t i = 0; i < trace.size(); ++i) {
        const LinkRow& row = trace[i];
        const bool open = row.delay_ns == schema::unsettled;
        const Nanoseconds settled_ns = shift_ns + (open ? last_ns : row.tx_time_ns + row.delay_ns);
        const Fate fate = open ? Fate::unsettled : row.delivered == 1 ? Fate::delivered : Fate::lost;
        const std::int64_t size = sizes.empty() ? options.lldu_bytes : sizes[i];
        sent_.push_back({row.tx_time_ns + shift_ns, settled_ns, fate, size, size, false});
      }
    }
  }

  std::optional<Delivery> plan(Nanoseconds arrival_ns, std::int64_t size_bytes) {
    if (stopped_) return std::nullopt;
    // The queue has been empty since the last departure: the rest of that row is gone.
    if (arrival_ns > last_departure_ns_) close_row();
    std::int64_t bytes_left = std::max<std::int64_t>(size_bytes, 1);
    Delivery packet{0, 0, Fate::delivered};
    std::vector<std::pair<Sent*, std::int64_t>> taken;
    for (Sent& row : sent_) {
      if (row.tx_ns < arrival_ns || row.tx_ns < last_departure_ns_ || row.free_bytes == 0) continue;
      const std::int64_t bytes = std::min(bytes_left, row.free_bytes);
      bytes_left -= bytes;
      taken.emplace_back(&row, bytes);
      packet.departure_ns = row.tx_ns;
      packet.arrival_ns = taken.size() == 1 ? row.settled_ns : std::max(packet.arrival_ns, row.settled_ns);
      if (row.fate == Fate::lost) packet.fate = Fate::lost;
      if (row.fate == Fate::unsettled && packet.fate == Fate::delivered) packet.fate = Fate::unsettled;
      if (bytes_left == 0) break;
    }
    if (taken.empty() || bytes_left > 0) {
      stopped_ = true;
      return std::nullopt;
    }
    for (auto& [row, bytes] : taken) {
      row->carries = true;
      row->free_bytes -= bytes;
    }
    last_departure_ns_ = packet.departure_ns;
    if (options_.packing == Packing::padded) {
      Sent& last = *taken.back().first;
      last.free_bytes = 0;  // padding
    }
    return released(packet);
  }

  RowUse use_until(Nanoseconds now_ns) const {
    RowUse use{0, 0, 0, 0, 0};
    for (const Sent& row : sent_) {
      if (row.tx_ns < 0 || row.tx_ns > now_ns) continue;
      ++use.offered;
      use.used += row.carries;
      use.offered_bytes += row.size_bytes;
      if (row.carries) use.used_bytes += row.size_bytes - row.free_bytes - row.wasted_bytes;
    }
    for (const Nanoseconds restart_ns : restarts_) use.repeats += restart_ns > 0 && restart_ns <= now_ns;
    return use;
  }

 private:
  struct Sent {
    Nanoseconds tx_ns, settled_ns;
    Fate fate;
    std::int64_t size_bytes;
    std::int64_t free_bytes;
    bool carries;
    std::int64_t wasted_bytes = 0;
  };

  void close_row() {
    for (Sent& row : sent_) {
      if (!row.carries) continue;
      row.wasted_bytes += row.free_bytes;
      row.free_bytes = 0;
    }
  }

  // span * n / (n - 1), rounded half up.
  static Nanoseconds length(Nanoseconds span_ns, std::size_t count) {
    const auto n = static_cast<Nanoseconds>(count);
    const Nanoseconds whole = span_ns * n / (n - 1), rest = span_ns * n % (n - 1);
    return 2 * rest >= n - 1 ? whole + 1 : whole;
  }

  // In order, a packet waits for the fates of all before it, for the hold time at most.
  Delivery released(Delivery packet) {
    const Nanoseconds here_ns = packet.arrival_ns;
    if (options_.in_order && packet.fate == Fate::delivered) {
      for (const Nanoseconds settled_ns : settled_) packet.arrival_ns = std::max(packet.arrival_ns, settled_ns);
      if (options_.hold_ns > 0) packet.arrival_ns = std::min(packet.arrival_ns, here_ns + options_.hold_ns);
    }
    settled_.push_back(here_ns);
    return packet;
  }

  PlanOptions options_;
  std::vector<Sent> sent_;
  std::vector<Nanoseconds> restarts_;
  std::vector<Nanoseconds> settled_;  // of every packet so far
  Nanoseconds last_departure_ns_ = -1;
  bool stopped_ = false;
};

}  // namespace clift
