// A receiver that acknowledges every packet, or every second one in order: cumulative acknowledgement (RFC 5681),
// selective ones (RFC 2018), reports of packets that arrived twice (RFC 2883), and the timestamp to echo (RFC 7323). The
// cost of a packet depends on the logarithm of the number of holes, not on the window.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/time.h"

namespace clift::tcp {

struct Reply {
  std::int64_t ack = 0;      // the first packet that is missing
  Nanoseconds echo_ns = -1;  // -1: no packet in order has arrived yet
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;  // [left, right), newest first; a DSACK comes first
  bool may_wait = false;  // for the next packet (RFC 5681, section 4.2); the host bounds the time
};

class Receiver {
 public:
  // At most `most_blocks` blocks fit into an ACK: three beside a timestamp.
  explicit Receiver(std::size_t most_blocks = 3) : most_blocks_(most_blocks) {}

  // Whether a packet in order, after a SYN or another that was answered, may wait for its acknowledgement.
  void delay_acks(bool delays) { delays_ = delays; }

  // A packet arrives that was sent at `timestamp_ns`. The reply is valid until the next one.
  const Reply& on_packet(std::int64_t sequence, Nanoseconds timestamp_ns);

  // The reply that may wait is sent now.
  const Reply& on_wait_over();

  std::int64_t next() const { return reply_.ack; }
  std::int64_t duplicates() const { return duplicates_; }
  std::size_t holes() const { return runs_.size(); }

 private:
  bool insert(std::int64_t sequence);
  void report_runs(std::int64_t sequence);

  std::size_t most_blocks_;
  std::map<std::int64_t, std::int64_t> runs_;  // what arrived beyond the first hole: [left, right)
  std::vector<std::int64_t> recent_;           // a packet of each run that changed lately, newest first
  std::int64_t duplicates_ = 0;
  bool delays_ = false;
  std::int64_t answered_ = 0;  // the acknowledgement that was sent last
  Reply reply_;
};

}  // namespace clift::tcp
