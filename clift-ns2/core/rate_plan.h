// Plan of the queue in front of a link of constant rate without losses.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/delivery_plan.h"
#include "core/time.h"

namespace clift {

// The counterpart of DeliveryPlan: a packet leaves, and arrives, when its last bit is sent.
class RatePlan {
 public:
  // `rate_bps` is more than 0.
  explicit RatePlan(double rate_bps) : rate_bps_(rate_bps) {}

  // Plans the next packet; arrivals must not decrease. Always true: the link does not stop.
  bool plan(Nanoseconds arrival_ns, std::int64_t size_bytes, Delivery& packet);

  // When the link begins to send a packet that arrives then.
  Nanoseconds begin_ns(Nanoseconds arrival_ns) const { return std::max(arrival_ns, free_ns_); }

 private:
  double rate_bps_;
  Nanoseconds free_ns_ = 0;  // departure of the last packet so far
};

}  // namespace clift
