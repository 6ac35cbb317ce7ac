#include "core/fectcp/round_trip.h"

#include <algorithm>
#include <cmath>

namespace clift::fectcp {

void RoundTrip::sample(Nanoseconds rtt_ns) {
  const double rtt = static_cast<double>(std::max<Nanoseconds>(rtt_ns, 1));
  if (!has_sample()) {
    mean_ns_ = srtt_ns_ = rtt;
    variance_ns2_ = rtt * rtt / 4.0;  // RFC 6298, (2.2): a deviation of half of it
    return;
  }
  const double error = rtt - mean_ns_;
  mean_ns_ += error / 8.0;
  variance_ns2_ += (error * error - variance_ns2_) / 4.0;
  srtt_ns_ = alpha_ * srtt_ns_ + (1.0 - alpha_) * mean_ns_;
}

Nanoseconds RoundTrip::deviation_ns() const { return std::llround(std::sqrt(variance_ns2_)); }

Nanoseconds RoundTrip::timer_ns(double cwnd) const {
  const double sigma_ns = std::max(std::sqrt(variance_ns2_), granularity_ns);
  return std::llround((1.0 + 1.0 / cwnd) * (srtt_ns_ + sigma_ns));
}

}  // namespace clift::fectcp
