// A receiver that acknowledges every packet, or every second one in order: cumulative acknowledgements (RFC 5681),
// selective ones (RFC 2018), duplicate reports (D-SACK, RFC 2883), and the echoed timestamp (RFC 7323). The cost of a
// packet depends on the logarithm of the number of holes, not on the window.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/time.h"

namespace clift::tcp {

struct Reply {
  std::int64_t ack = 0;      // the first missing packet
  Nanoseconds echo_ns = -1;  // -1: no packet has arrived in order yet
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;  // [left, right), newest first; a DSACK comes first
  bool may_wait = false;  // for the next packet (RFC 5681, section 4.2); the host bounds the time
};

class Receiver {
 public:
  // Whether delayed ACKs are on: then only every second packet in order after the SYN is acknowledged at once.
  void delay_acks(bool delays) { delays_ = delays; }

  // A packet with this sending time arrives. The reply is valid until the next one.
  const Reply& on_packet(std::int64_t sequence, Nanoseconds timestamp_ns);

  // The host sends the waiting reply now.
  const Reply& on_wait_over();

  std::int64_t next() const { return reply_.ack; }
  std::int64_t duplicates() const { return duplicates_; }

 private:
  bool insert(std::int64_t sequence);
  void report_runs(std::int64_t sequence);

  static constexpr std::size_t most_blocks = 3;  // that fit into an ACK beside a timestamp

  std::map<std::int64_t, std::int64_t> runs_;  // packets beyond the first hole: [left, right)
  std::vector<std::int64_t> recent_;           // one packet of each recently changed run, newest first
  std::int64_t duplicates_ = 0;
  bool delays_ = false;
  std::int64_t answered_ = 0;  // the last acknowledgement sent
  Reply reply_;
};

}  // namespace clift::tcp
