// The sender of FECTCP (A. Botos, Z. Polgar and V. Bota, FECTCP for High Packet Error Rate Wireless Channels, section
// II). Every segment is a fresh symbol of a rateless code, and there are no retransmissions. Single losses are ignored;
// consecutive losses halve the rate. The host (an ns-2 agent, or a test) carries segments and time.
//
// Decisions where the paper gives no rule:
// - A timer gets its duration when its segment is sent. An expiry means congestion: it halves cwnd, which then grows by
//   congestion avoidance, as after TCP's fast recovery. Segments sent before a reduction cause no second one, so there
//   is at most one reduction per round trip.
// - cwnd grows with each segment that an ACK covers, lost ones included: by 1 in slow start, by 1/cwnd afterwards.
// - Segments leave at intervals of sRTT/cwnd. At most cwnd + 1 segments are unacknowledged: a single lost segment has
//   left transit, but the sender learns that only from the next ACK. With cwnd of 1 it would wait for its timer.
// - There is no back-off: ACKs name their segment, so the round-trip time is measured even after an expiry.
#pragma once

#include <cstdint>
#include <functional>

#include "core/fectcp/receiver.h"
#include "core/fectcp/round_trip.h"
#include "core/fectcp/segments.h"
#include "core/fectcp/source_blocks.h"
#include "core/time.h"

namespace clift::fectcp {

struct SenderOptions {
  double alpha = 0.875;               // alpha of equation 1
  std::int64_t window_packets = 1000;  // upper bound of unacknowledged segments for any cwnd
  std::int64_t block_symbols = 256;   // upper bound of a block's source symbols
};

struct OutgoingSegment {
  std::int64_t number;          // 0: the handshake
  std::int64_t block;           // -1: the handshake
  std::int64_t source_symbols;  // source symbols of that block
};

struct SenderCounters {
  std::int64_t segments = 0;    // sent segments without the handshake
  std::int64_t expiries = 0;    // expired timers
  std::int64_t reductions = 0;  // reductions of cwnd
};

class Sender {
 public:
  using Transmit = std::function<void(const OutgoingSegment&)>;

  Sender(const SenderOptions& options, const DecodingOverhead& overhead, Transmit transmit);

  // The application has offered `source_symbols` so far; the first offer starts the handshake.
  void offer(Nanoseconds now_ns, std::int64_t source_symbols);

  void on_ack(Nanoseconds now_ns, const Reply& reply);

  // Executes everything due by `now_ns`. Call it no later than next_deadline_ns(), which every call may change.
  void on_timer(Nanoseconds now_ns);
  Nanoseconds next_deadline_ns() const;  // `never`: no deadline

  bool is_done() const { return is_connected_ && !blocks_.has_work(); }  // the receiver has decoded all offered data
  double cwnd() const { return cwnd_; }
  double ssthresh() const { return ssthresh_; }
  bool is_reduced() const { return segments_.first() < reduced_before_; }  // during the round trip of a reduction
  const RoundTrip& round_trip() const { return round_trip_; }
  const Segments& segments() const { return segments_; }
  const SenderCounters& counters() const { return counters_; }

 private:
  void shake_hands(Nanoseconds now_ns);
  void on_expiry(std::int64_t number);
  void grow(std::int64_t acknowledged);
  void send_what_may(Nanoseconds now_ns);
  bool has_room() const;
  Nanoseconds next_sending_ns() const;

  SenderOptions options_;
  Transmit transmit_;
  SourceBlocks blocks_;
  Segments segments_;
  RoundTrip round_trip_;
  SenderCounters counters_;

  double cwnd_;
  double most_cwnd_;
  double ssthresh_;
  std::int64_t reduced_before_ = 0;   // segments before this one cause no reduction
  Nanoseconds last_sent_ns_ = -1;     // -1: no symbol was sent

  bool is_connected_ = false;
  Nanoseconds handshake_timeout_ns_;
  Nanoseconds handshake_deadline_ns_ = never;
};

}  // namespace clift::fectcp
