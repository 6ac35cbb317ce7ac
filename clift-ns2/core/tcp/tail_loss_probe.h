// A probe for losses of a flight's last packets (RFC 8985, section 7).
#pragma once

#include <cstdint>

#include "core/time.h"

namespace clift::tcp {

class TailLossProbe {
 public:
  // The longest time for which a receiver may hold an ACK back: RFC 8985's TLP.max_ack_delay.
  static constexpr Nanoseconds most_ack_delay_ns = 200'000'000;

  // The probe timeout from now; `flight` counts unacknowledged packets; `srtt_ns` is 0 without a sample.
  static Nanoseconds timeout_ns(Nanoseconds srtt_ns, std::int64_t flight);

  bool is_outstanding() const { return end_ >= 0; }

  // Whether a probe may be sent: none is outstanding, and there was an RTT sample since the last one (or, before the
  // first probe, since the start).
  bool may_be_sent() const { return !is_outstanding() && rtt_measured_; }

  void on_rtt_sample() { rtt_measured_ = true; }

  // A probe was sent; `end` is the packet behind the last one sent.
  void on_sent(std::int64_t end, bool is_retransmission);
  void cancel() { end_ = -1; }

  // Whether a DSACK for `sequence` reports the probe.
  bool is_answered_by(std::int64_t sequence) const;

  // Applies an ACK to the outstanding probe. Returns whether the probe has repaired a loss, which requires a reduction.
  // `is_duplicate`: the ACK acknowledges nothing new, selectively or in order; `has_own_dsack`: see above.
  bool on_ack(std::int64_t ack, bool is_duplicate, bool has_own_dsack);

 private:
  std::int64_t end_ = -1;  // -1: no probe is outstanding
  bool is_retransmission_ = false;
  bool rtt_measured_ = false;
};

}  // namespace clift::tcp
