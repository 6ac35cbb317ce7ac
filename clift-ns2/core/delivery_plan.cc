#include "core/delivery_plan.h"

#include <algorithm>

namespace clift {

DeliveryPlan::DeliveryPlan(LinkRows rows, const PlanOptions& options)
    : options_(options),
      start_ns_(options.start_ns()),
      clock_(rows, options),
      bytes_(rows, options.lldu_bytes),
      first_row_(clock_.first_from(start_ns_, 0)),
      next_row_(first_row_) {}

Nanoseconds DeliveryPlan::begin_ns(Nanoseconds arrival_ns) const {
  if (stopped_) return never;
  const bool busy = arrival_ns <= departure_ns_;
  if (busy && left_bytes_ > 0) return departure_ns_;
  const std::int64_t row = busy ? next_row_ : clock_.first_from(sum_of(arrival_ns, start_ns_), next_row_);
  return clock_.ends_before(row + 1) ? never : clock_.tx_time_ns(row) - start_ns_;
}

// A delivered packet waits until every earlier one is delivered or given up, but not longer than the hold time.
Nanoseconds DeliveryPlan::released_at(const Delivery& packet) {
  const Nanoseconds in_order_ns = std::max(packet.arrival_ns, settled_ns_);
  settled_ns_ = in_order_ns;
  if (packet.fate != Fate::delivered) return packet.arrival_ns;
  if (options_.hold_ns == 0) return in_order_ns;
  return std::min(in_order_ns, sum_of(packet.arrival_ns, options_.hold_ns));
}

RowUse DeliveryPlan::use_until(Nanoseconds now_ns) const {
  // Rows are skipped only while the queue is empty, so all rows skipped so far lie in the past.
  const Nanoseconds time_ns = sum_of(now_ns, start_ns_);
  const std::int64_t end = clock_.first_from(sum_of(time_ns, 1), first_row_);
  RowUse use;
  use.offered = end - first_row_;
  use.used = use.offered - unused_ - std::max<std::int64_t>(0, end - next_row_);
  use.offered_bytes = bytes_.between(clock_, first_row_, end);
  use.used_bytes = used_bytes_;
  if (end < next_row_) use.used_bytes -= bytes_.between(clock_, end, next_row_) - left_bytes_;
  use.repeats = clock_.repetition_at(time_ns) - clock_.repetition_at(start_ns_);
  return use;
}

}  // namespace clift
