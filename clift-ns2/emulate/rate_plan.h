// A link of constant rate that loses nothing, as the plan of a queue in front of it.
#pragma once

#include <optional>

#include "core/delivery_plan.h"
#include "core/time.h"

namespace clift {

// The counterpart of DeliveryPlan: a packet leaves when its last bit is sent, and has arrived then.
class RatePlan {
 public:
  // `rate_bps` is more than 0.
  explicit RatePlan(double rate_bps) : rate_bps_(rate_bps) {}

  // Plans the next packet; arrivals do not decrease.
  std::optional<Delivery> plan(Nanoseconds arrival_ns, std::int64_t size_bytes);

 private:
  double rate_bps_;
  Nanoseconds free_ns_ = 0;  // when the last packet so far has left
};

}  // namespace clift
