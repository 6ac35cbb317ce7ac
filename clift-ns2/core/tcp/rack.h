// RACK: a packet is lost if another packet, sent sufficiently later, is delivered (RFC 8985, section 6).
#pragma once

#include <cstdint>
#include <vector>

#include "core/tcp/congestion_control.h"
#include "core/tcp/scoreboard.h"
#include "core/time.h"

namespace clift::tcp {

class Rack {
 public:
  // Steps 2 and 3, for the packets that an ACK newly delivers; `echo_ns`: the echoed timestamp, -1: none.
  void on_delivered(const std::vector<DeliveredPacket>& delivered, Nanoseconds now_ns, Nanoseconds echo_ns,
                    Nanoseconds min_rtt_ns);

  // Step 4, once an ACK. `has_dsack`: the ACK reports a spurious retransmission. `recovery_ends`: fast recovery or
  // recovery from a timeout ends with it.
  void adapt_window(bool has_dsack, bool recovery_ends, std::int64_t una, std::int64_t next);

  // Deliveries so far say nothing about packets sent before: an original packet was mistaken for its retransmission.
  void forget() { transmission_ = 0; }

  // A packet overtook another: from now on the reordering window is never 0.
  void note_reordering() { reordering_seen_ = true; }

  // The reordering window: the time by which packets may now overtake each other.
  Nanoseconds reordering_window_ns(bool in_recovery, std::int64_t sacked, Nanoseconds min_rtt_ns,
                                   Nanoseconds srtt_ns) const;

  // Time at which `packet` counts as lost without a further ACK; never: no packet that was sent later is delivered.
  Nanoseconds deadline_ns(const SentPacket& packet, Nanoseconds window_ns) const;

  // RFC 8985, section 6.3: after a timeout, a packet is lost if it was sent so long ago, whatever is delivered.
  bool is_overdue(const SentPacket& packet, Nanoseconds window_ns, Nanoseconds now_ns) const;

  // A timeout after so many selective acknowledgements, without fast recovery: the degree was an overestimate.
  void doubt_reordering(std::int64_t sacked);

  // The largest number of packets that overtook one so far; at least the duplicate threshold.
  std::int64_t reordering() const { return reordering_; }
  bool reordering_seen() const { return reordering_seen_; }
  int window_multiple() const { return window_multiple_; }

 private:
  std::int64_t transmission_ = 0;  // largest number of a delivered transmission
  Nanoseconds rtt_ns_ = 0;         // of the packet sent last among those that the last ACK delivered
  std::int64_t highest_ = -1;      // the highest sequence number delivered (RACK.fack)
  std::int64_t reordering_ = duplicate_threshold;
  bool reordering_seen_ = false;
  int window_multiple_ = 1;        // quarters of the least round-trip time
  int persistence_ = 0;            // recoveries without DSACK until the window is one quarter again
  std::int64_t dsack_round_ = -1;  // the round with a DSACK ends when this is acknowledged; -1: no such round
};

}  // namespace clift::tcp
