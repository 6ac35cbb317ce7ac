// A receiver that acknowledges every packet, or fewer by the rule of Linux: cumulative acknowledgements (RFC 5681),
// selective ones (RFC 2018), duplicate reports (D-SACK, RFC 2883), the echoed timestamp and PAWS (RFC 7323). The cost of
// a packet depends on the logarithm of the number of holes, not on the window.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/tcp/ack_delay.h"
#include "core/tcp/ecn_flags.h"
#include "core/tcp/receive_window.h"
#include "core/time.h"

namespace clift::tcp {

struct Reply {
  std::int64_t ack = 0;      // the first missing packet
  Nanoseconds echo_ns = -1;  // -1: no packet has arrived in order yet
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;  // [left, right), newest first; a DSACK comes first
  int ace = 0;  // flags of ECN: in the answer to a SYN, what is agreed
  std::int64_t window_end = 0;  // the first packet beyond the advertised window; 0: it has no bound
};

// What a receiver knows of an arriving packet.
struct Arrived {
  std::int64_t sequence = 0;
  Nanoseconds timestamp_ns = 0;  // its sending time; -1: it carries no timestamp
  Nanoseconds now_ns = 0;
  bool pushed = false;  // the application's last packet so far
  Nanoseconds echo_ns = -1;  // sending time of the acknowledgement that it echoes; -1: it echoes none
  EcnFlags ecn{};
};

class Receiver {
 public:
  // Whether delayed ACKs are on; else every packet is acknowledged at once. Packet 0 is the SYN.
  void delay_acks(bool delays) { delays_ = delays; }

  // Bounds the buffer; without this call it has no bound.
  void limit(const ReceiveWindowOptions& options) { window_.emplace(options); }
  bool is_limited() const { return window_.has_value(); }

  // Echoes each packet's mark, as DCTCP's receivers do (RFC 8257, section 3.2), where AccECN is not agreed.
  void echo_each_mark(bool echoes) { echoes_each_mark_ = echoes; }

  // A packet arrives. The reply is valid until the next packet.
  const Reply& on_packet(const Arrived& packet);

  // Time at which the reply must be sent; never: all packets are acknowledged.
  Nanoseconds deadline_ns() const { return delay_.deadline_ns(); }

  // Returns the reply if its deadline has come: the host sends it now and asks again. Null: not yet.
  const Reply* take_reply(Nanoseconds now_ns);

  std::int64_t next() const { return reply_.ack; }
  std::int64_t duplicates() const { return duplicates_; }

 private:
  using Arrival = AckDelay::Arrival;

  bool is_old(const Arrived& packet) const;
  void reject(const Arrived& packet);
  bool insert(std::int64_t sequence);
  void grow(const Arrived& packet);
  void note_ecn(const Arrived& packet, bool is_new);
  void count_mark(const Arrived& packet);
  int ace() const;
  void decide(const Arrived& packet, bool is_new, bool had_holes);
  std::int64_t held() const { return distinct_ - reply_.ack; }  // packets beyond the first hole
  void report_runs(std::int64_t sequence);

  static constexpr std::size_t most_blocks = 3;  // that fit into an ACK beside a timestamp

  std::map<std::int64_t, std::int64_t> runs_;  // packets beyond the first hole: [left, right)
  std::vector<std::int64_t> recent_;           // one packet of each recently changed run, newest first
  std::int64_t duplicates_ = 0;
  bool delays_ = false;
  AckDelay delay_;
  std::optional<ReceiveWindow> window_;
  std::int64_t distinct_ = 0;       // packets that have arrived, each counted once
  Nanoseconds last_echo_ns_ = -1;
  std::int64_t answered_ = 0;       // the last acknowledgement sent
  Nanoseconds handshake_ns_ = -1;   // time of the SYN's acknowledgement; -1: its RTT is not awaited
  Nanoseconds arrived_ns_ = 0;      // the last packet
  EcnMode ecn_ = EcnMode::off;      // offered by the SYN
  bool is_offered_ecn_ = false;     // by the last packet
  bool echoes_mark_ = false;
  bool echoes_each_mark_ = false;
  bool was_marked_ = false;         // the last packet was
  std::int64_t ce_count_ = first_ce_count;
  std::int64_t new_marks_ = 0;      // that no acknowledgement has counted
  Reply reply_;
  std::optional<Reply> earlier_;    // of the packets before a change of their mark
  Reply sent_;
};

}  // namespace clift::tcp
