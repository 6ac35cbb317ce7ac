// Mean, variance and smoothed round-trip time of FECTCP, and the duration of its timers (Botos, Polgar and Bota,
// equations 1 to 3). The paper does not say how mean and variance are updated; this uses the gains of RFC 6298, 1/8 for
// the mean and 1/4 for the variance. The paper calls sigma_RTT the variance but adds it to a time; this takes it as the
// square root of the variance.
#pragma once

#include "core/time.h"

namespace clift::fectcp {

class RoundTrip {
 public:
  // `alpha` in (0, 1): weight of the old smoothed round-trip time.
  explicit RoundTrip(double alpha) : alpha_(alpha) {}

  void sample(Nanoseconds rtt_ns);

  bool has_sample() const { return srtt_ns_ > 0.0; }
  Nanoseconds srtt_ns() const { return static_cast<Nanoseconds>(srtt_ns_); }
  Nanoseconds deviation_ns() const;  // sigma_RTT

  // Equation 2. With a constant round-trip time sigma is 0, and the ACK of the next segment would arrive exactly when
  // the timer expires. Sigma is therefore at least the clock's granularity (RFC 6298).
  Nanoseconds timer_ns(double cwnd) const;

 private:
  static constexpr double granularity_ns = 1e3;

  double alpha_;
  double mean_ns_ = 0.0;
  double variance_ns2_ = 0.0;
  double srtt_ns_ = 0.0;
};

}  // namespace clift::fectcp
