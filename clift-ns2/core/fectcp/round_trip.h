// Mean, variance and smoothed round-trip time of FECTCP, and the duration of its timers (Botos, Polgar and Bota,
// equations 1 to 3). The paper does not say how mean and variance are updated: they are weighted as in RFC 6298, 1/8
// for the mean and 1/4 for the spread. sigma_RTT, which the paper calls the variance, is added to a time; it is taken
// for the square root of the variance.
#pragma once

#include "core/time.h"

namespace clift::fectcp {

class RoundTrip {
 public:
  // `alpha` in (0, 1): how much of the old smoothed round-trip time stays.
  explicit RoundTrip(double alpha) : alpha_(alpha) {}

  void sample(Nanoseconds rtt_ns);

  bool has_sample() const { return srtt_ns_ > 0.0; }
  Nanoseconds srtt_ns() const { return static_cast<Nanoseconds>(srtt_ns_); }
  Nanoseconds deviation_ns() const;  // sigma_RTT

  // Equation 2. Where the round-trip time is steady, sigma is 0 and the ACK of the next segment would arrive at the
  // very moment at which the timer expires: sigma counts at least the clock's granularity (RFC 6298).
  Nanoseconds timer_ns(double cwnd) const;

 private:
  static constexpr double granularity_ns = 1e3;

  double alpha_;
  double mean_ns_ = 0.0;
  double variance_ns2_ = 0.0;
  double srtt_ns_ = 0.0;
};

}  // namespace clift::fectcp
