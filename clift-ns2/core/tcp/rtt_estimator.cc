#include "core/tcp/rtt_estimator.h"

#include <algorithm>
#include <cstdlib>

namespace clift::tcp {

namespace {

constexpr Nanoseconds initial_timeout_ns = 1'000'000'000;  // RFC 6298, (2.1)
constexpr Nanoseconds most_timeout_ns = 120'000'000'000;   // with back-off
constexpr Nanoseconds least_variation_ns = 200'000'000;    // lower bound of the term 4 * rttvar

}  // namespace

void RttEstimator::sample(Nanoseconds rtt_ns, bool round_ends) {
  const Nanoseconds least_ns = least_variation_ns / 4;
  const bool is_first = !has_sample();
  min_rtt_ns_ = std::min(min_rtt_ns_, rtt_ns);
  if (is_first) {
    srtt_ns_ = rtt_ns;
    deviation_ns_ = rtt_ns / 2;
    rttvar_ns_ = std::max(deviation_ns_, least_ns);
    largest_deviation_ns_ = rttvar_ns_;
    return;
  }
  const Nanoseconds error_ns = rtt_ns - srtt_ns_;
  const Nanoseconds growth_ns = std::abs(error_ns) - deviation_ns_;
  // A falling round-trip time must not raise the timeout: its deviation counts an eighth.
  deviation_ns_ += growth_ns / (error_ns < 0 && growth_ns > 0 ? 32 : 4);
  srtt_ns_ += error_ns / 8;
  largest_deviation_ns_ = std::max(largest_deviation_ns_, deviation_ns_);
  rttvar_ns_ = std::max(rttvar_ns_, largest_deviation_ns_);
  if (round_ends) {
    if (largest_deviation_ns_ < rttvar_ns_) rttvar_ns_ -= (rttvar_ns_ - largest_deviation_ns_) / 4;
    largest_deviation_ns_ = least_ns;
  }
}

Nanoseconds RttEstimator::rto_ns() const {
  Nanoseconds rto_ns = initial_timeout_ns;
  if (has_sample()) rto_ns = srtt_ns_ + std::max(4 * rttvar_ns_, least_variation_ns);
  for (int i = 0; i < backoffs_ && rto_ns < most_timeout_ns; ++i) rto_ns *= 2;
  return std::min(rto_ns, most_timeout_ns);
}

}  // namespace clift::tcp
