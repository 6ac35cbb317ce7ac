// RACK: a packet is lost when one that was sent enough later is delivered (RFC 8985, section 6).
#pragma once

#include <cstdint>
#include <vector>

#include "core/tcp/congestion_control.h"
#include "core/tcp/scoreboard.h"
#include "core/time.h"

namespace clift::tcp {

class Rack {
 public:
  // Steps 2 and 3, for what an ACK newly delivers; `echo_ns` is the timestamp that the ACK echoes, -1: none.
  void on_delivered(const std::vector<DeliveredPacket>& delivered, Nanoseconds now_ns, Nanoseconds echo_ns,
                    Nanoseconds min_rtt_ns);

  // Step 4, once an ACK: `has_dsack` tells that it reports a needless retransmission, `recovery_ends` that fast
  // recovery or recovery from a timeout ends with it.
  void adapt_window(bool has_dsack, bool recovery_ends, std::int64_t una, std::int64_t next);

  // What was delivered tells nothing of what was sent before: it was taken for a retransmission's answer, wrongly.
  void forget() { transmission_ = 0; }

  // Some packet overtook another: from now on the reordering window is never 0.
  void note_reordering() { reordering_seen_ = true; }

  // The time by which packets may overtake each other now.
  Nanoseconds reordering_window_ns(bool in_recovery, std::int64_t sacked, Nanoseconds min_rtt_ns,
                                   Nanoseconds srtt_ns) const;

  // When `packet` is lost if nothing is heard of it; never: nothing that was sent later is delivered.
  Nanoseconds deadline_ns(const SentPacket& packet, Nanoseconds window_ns) const;

  // RFC 8985, section 6.3: by a timeout a packet is lost when it was sent so long ago, whatever is delivered.
  bool is_overdue(const SentPacket& packet, Nanoseconds window_ns, Nanoseconds now_ns) const;

  // A timeout after so many selective acknowledgements, without fast recovery: the degree was an overestimate.
  void doubt_reordering(std::int64_t sacked);

  // By how many packets one was overtaken, at most; at least the duplicate threshold.
  std::int64_t reordering() const { return reordering_; }
  bool reordering_seen() const { return reordering_seen_; }
  int window_multiple() const { return window_multiple_; }

 private:
  std::int64_t transmission_ = 0;  // of the packet sent last among those delivered
  Nanoseconds rtt_ns_ = 0;         // of the packet sent last among those that the last ACK delivered
  std::int64_t highest_ = -1;      // the highest sequence number delivered (RACK.fack)
  std::int64_t reordering_ = duplicate_threshold;
  bool reordering_seen_ = false;
  int window_multiple_ = 1;        // quarters of the least round-trip time
  int persistence_ = 0;            // recoveries without DSACK until the window is one quarter again
  std::int64_t dsack_round_ = -1;  // the round with a DSACK ends when this is acknowledged; -1: no such round
};

}  // namespace clift::tcp
