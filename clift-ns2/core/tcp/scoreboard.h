// State of each packet from the first unacknowledged one to the last one sent: RFC 6675's scoreboard, with the time and
// order of each transmission for RFC 8985.
//
// The cost of a call depends on the number of packets whose state changes, and on the logarithm of the number of
// selectively acknowledged ranges, not on the window.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/tcp/rate_sampler.h"
#include "core/time.h"

namespace clift::tcp {

struct SentPacket {
  Nanoseconds sent_ns = 0;         // last transmission
  std::int64_t transmission = 0;   // its number among all transmissions of the connection, from 1
  std::int64_t older = -1;         // neighbours in the order of transmission among the packets in flight; -1: none
  std::int64_t newer = -1;
  SendSnapshot snapshot;
  bool is_retransmitted = false;
  bool is_sacked = false;
  bool is_lost = false;       // marked lost; a retransmission does not clear it
  bool is_in_flight = false;  // not acknowledged, and not waiting for retransmission
};

// A packet that an ACK delivers.
struct DeliveredPacket {
  std::int64_t sequence;
  bool is_cumulative;  // acknowledged in order, not selectively
  SentPacket packet;
};

class Scoreboard {
 public:
  std::int64_t una() const { return una_; }
  std::int64_t next() const { return una_ + static_cast<std::int64_t>(packets_.size()); }
  bool is_empty() const { return packets_.empty(); }
  std::int64_t in_flight() const { return in_flight_; }  // RFC 6675's pipe
  std::int64_t retransmitted_in_flight() const { return retransmitted_in_flight_; }
  std::int64_t sacked() const { return sacked_; }
  std::int64_t lost() const { return lost_; }            // marked lost and not acknowledged, retransmitted or not

  const SentPacket& at(std::int64_t sequence) const { return packets_[static_cast<std::size_t>(sequence - una_)]; }

  // Notes a transmission of packet next(), or a retransmission of a packet that is not acknowledged in any way.
  void on_sent(std::int64_t sequence, Nanoseconds now_ns, const SendSnapshot& snapshot);

  // All packets before `ack` are acknowledged, una() < ack <= next(). Appends the packets not known to be delivered
  // before.
  void acknowledge(std::int64_t ack, std::vector<DeliveredPacket>& delivered);

  // [left, right) is selectively acknowledged; the part outside [una(), next()) is ignored.
  void sack(std::int64_t left, std::int64_t right, std::vector<DeliveredPacket>& delivered);

  // Marks a packet in flight lost: it waits for retransmission.
  void mark_lost(std::int64_t sequence);

  // Marks no packet lost: waiting packets are in flight again since their last transmission. Takes time with the
  // window.
  void unmark_lost();

  // The packet in flight with the earliest last transmission; -1: none.
  std::int64_t oldest() const { return oldest_; }
  std::int64_t newer(std::int64_t sequence) const { return at(sequence).newer; }

  // The first packet that waits for retransmission (RFC 6675, NextSeg, rule 1).
  std::optional<std::int64_t> next_lost() const;

  std::int64_t transmissions() const { return transmissions_; }

 private:
  SentPacket& packet(std::int64_t sequence) { return packets_[static_cast<std::size_t>(sequence - una_)]; }
  void append_in_flight(std::int64_t sequence);
  void remove_in_flight(std::int64_t sequence);
  void settle(std::int64_t sequence);

  std::int64_t una_ = 0;
  std::deque<SentPacket> packets_;              // [sequence - una_]
  std::map<std::int64_t, std::int64_t> runs_;   // selectively acknowledged [left, right), apart from each other
  std::set<std::int64_t> waiting_;              // marked lost, and not retransmitted since
  std::int64_t oldest_ = -1;
  std::int64_t newest_ = -1;
  std::int64_t in_flight_ = 0;
  std::int64_t retransmitted_in_flight_ = 0;
  std::int64_t sacked_ = 0;
  std::int64_t lost_ = 0;
  std::int64_t transmissions_ = 0;
};

}  // namespace clift::tcp
