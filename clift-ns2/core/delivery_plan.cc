#include "core/delivery_plan.h"

#include <algorithm>

namespace clift {

DeliveryPlan::DeliveryPlan(LinkRows rows, const PlanOptions& options)
    : options_(options),
      clock_(rows, options.loop),
      first_row_(clock_.first_from(options.offset_ns, 0)),
      next_row_(first_row_) {}

std::optional<Delivery> DeliveryPlan::plan(Nanoseconds arrival_ns, std::int64_t size_bytes) {
  if (stopped_) return std::nullopt;
  const std::int64_t begin = clock_.first_from(sum_of(arrival_ns, options_.offset_ns), next_row_);
  unused_ += begin - next_row_;
  next_row_ = begin;
  const std::int64_t end = begin + rows_for(size_bytes);
  if (clock_.ends_before(end)) {
    stopped_ = true;
    return std::nullopt;
  }
  next_row_ = end;
  clock_.stay_near(end);

  const RowSummary rows = clock_.summary(begin, end);
  Delivery packet;
  packet.departure_ns = clock_.tx_time_ns(end - 1) - options_.offset_ns;
  packet.arrival_ns = rows.settled_ns - options_.offset_ns;
  packet.fate = rows.lost ? Fate::lost : rows.unsettled ? Fate::unsettled : Fate::delivered;
  if (options_.in_order) packet.arrival_ns = released_at(packet);
  return packet;
}

// A division takes as long as the rest of the sum, and most packets are as large as the one before.
std::int64_t DeliveryPlan::rows_for(std::int64_t size_bytes) {
  if (size_bytes != last_size_bytes_) {
    last_size_bytes_ = size_bytes;
    last_rows_ = std::max<std::int64_t>((size_bytes + options_.lldu_bytes - 1) / options_.lldu_bytes, 1);
  }
  return last_rows_;
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
  // Rows are skipped only while the queue is empty, so all skipped so far lie in the past.
  const Nanoseconds after_now_ns = sum_of(sum_of(now_ns, options_.offset_ns), 1);
  const std::int64_t end = clock_.first_from(after_now_ns, first_row_);
  RowUse use;
  use.offered = end - first_row_;
  use.unused = unused_ + std::max<std::int64_t>(0, end - next_row_);
  use.used = use.offered - use.unused;
  use.repeats = end > first_row_ ? clock_.repetition_of(end - 1) - clock_.repetition_of(first_row_) : 0;
  return use;
}

}  // namespace clift
