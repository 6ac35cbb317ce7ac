#include "core/tcp/congestion/reno.h"

namespace clift::tcp {

std::int64_t Reno::reduced_ssthresh(const CongestionEvent& event) {
  const double kept = event.is_mark && !in_slow_start() ? 0.8 : 0.5;  // RFC 8511, section 3.1; not in slow start (4)
  return static_cast<std::int64_t>(cwnd_ * kept);
}

void Reno::avoid_congestion(std::int64_t acked, const AckSample&) { cwnd_ += static_cast<double>(acked) / cwnd_; }

}  // namespace clift::tcp
