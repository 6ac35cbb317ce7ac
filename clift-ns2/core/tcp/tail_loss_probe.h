// A probe when the last packets of a flight may be lost (RFC 8985, section 7).
#pragma once

#include <cstdint>

#include "core/time.h"

namespace clift::tcp {

class TailLossProbe {
 public:
  // The longest time for which a receiver may hold an ACK back: RFC 8985's TLP.max_ack_delay.
  static constexpr Nanoseconds most_ack_delay_ns = 200'000'000;

  // The probe timeout from now; `flight` counts packets that are not acknowledged, and `srtt_ns` is 0 without a sample.
  static Nanoseconds timeout_ns(Nanoseconds srtt_ns, std::int64_t flight);

  bool is_outstanding() const { return end_ >= 0; }

  // Whether a probe may be sent: none is outstanding, and a round-trip time was measured since the last one, or, before
  // the first, since the start.
  bool may_be_sent() const { return !is_outstanding() && rtt_measured_; }

  void on_rtt_sample() { rtt_measured_ = true; }

  // A probe was sent; `end` is what follows the last packet sent.
  void on_sent(std::int64_t end, bool is_retransmission);
  void cancel() { end_ = -1; }

  // Whether a DSACK for `sequence` answers the probe.
  bool is_answered_by(std::int64_t sequence) const;

  // What an ACK tells of the probe. Returns whether the probe has repaired a loss, which calls for a reduction.
  // `is_duplicate`: the ACK brings nothing and carries no selective acknowledgement; `has_own_dsack`: see above.
  bool on_ack(std::int64_t ack, bool is_duplicate, bool has_own_dsack);

 private:
  std::int64_t end_ = -1;  // -1: no probe is outstanding
  bool is_retransmission_ = false;
  bool rtt_measured_ = false;
};

}  // namespace clift::tcp
