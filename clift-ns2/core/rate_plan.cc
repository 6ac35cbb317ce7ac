#include "core/rate_plan.h"

#include <algorithm>
#include <cmath>

namespace clift {

bool RatePlan::plan(Nanoseconds arrival_ns, std::int64_t size_bytes, Delivery& packet) {
  const double sending_ns = 8e9 * static_cast<double>(size_bytes) / rate_bps_;
  const Nanoseconds duration_ns = sending_ns < 9e18 ? std::llround(sending_ns) : never;
  free_ns_ = sum_of(std::max(arrival_ns, free_ns_), duration_ns);
  packet = {free_ns_, free_ns_, Fate::delivered};
  return true;
}

}  // namespace clift
