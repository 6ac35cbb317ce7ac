// Smoothed round-trip time and retransmission timeout: RFC 6298, in Linux's form (P. Sarolahti and A. Kuznetsov,
// Congestion Control in Linux TCP, USENIX 2002, section 4). Every ACK gives a sample. The variation follows the largest
// deviation of a round at once and falls once a round. Its term in the timeout is at least 200 ms; RFC 6298 bounds the
// whole timeout by a second instead.
#pragma once

#include "core/time.h"

namespace clift::tcp {

class RttEstimator {
 public:
  // `round_ends`: a packet sent after the last such call is acknowledged.
  void sample(Nanoseconds rtt_ns, bool round_ends);

  bool has_sample() const { return min_rtt_ns_ != never; }
  Nanoseconds srtt_ns() const { return srtt_ns_; }      // 0: no sample
  Nanoseconds rttvar_ns() const { return rttvar_ns_; }
  Nanoseconds min_rtt_ns() const { return min_rtt_ns_; }  // never: no sample

  // The timeout, doubled for each back-off.
  Nanoseconds rto_ns() const;
  int backoffs() const { return backoffs_; }
  void back_off() { ++backoffs_; }
  void end_backoff() { backoffs_ = 0; }

 private:
  Nanoseconds srtt_ns_ = 0;
  Nanoseconds rttvar_ns_ = 0;
  Nanoseconds deviation_ns_ = 0;            // smoothed mean deviation
  Nanoseconds largest_deviation_ns_ = 0;    // in this round
  Nanoseconds min_rtt_ns_ = never;
  int backoffs_ = 0;
};

}  // namespace clift::tcp
