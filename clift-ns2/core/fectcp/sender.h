// The sender of FECTCP (A. Botos, Z. Polgar and V. Bota, FECTCP for High Packet Error Rate Wireless Channels, section
// II): every segment is a fresh symbol of a rateless code, nothing is sent again, single losses are ignored, and
// consecutive ones halve the rate. The host (an ns-2 agent, or a test) carries segments and time.
//
// Where the paper is silent:
// - A timer gets its duration when its segment is sent. An expiry means congestion; it halves cwnd, which then grows by
//   congestion avoidance, as after TCP's fast recovery. Segments sent before a reduction cause no other: at most one a
//   round trip.
// - cwnd grows with each segment that an ACK covers, lost ones too: by 1 in slow start, by 1/cwnd afterwards.
// - Segments leave sRTT/cwnd apart. One more than cwnd may lack an ACK: a single lost one is in transit no longer,
//   which the sender learns only from the next ACK. Without it a window of one would wait for its timer.
// - There is no back-off: ACKs name their segment, so that a round-trip time is measured even when its timer expired.
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
  double alpha = 0.875;               // of equation 1
  std::int64_t window_packets = 1000;  // segments that may lack an ACK, whatever cwnd is
  std::int64_t block_symbols = 256;   // source symbols of a block at most
};

struct OutgoingSegment {
  std::int64_t number;          // 0: the handshake
  std::int64_t block;           // -1: the handshake
  std::int64_t source_symbols;  // of that block
};

struct SenderCounters {
  std::int64_t segments = 0;    // sent, the handshake not counted
  std::int64_t expiries = 0;    // of timers
  std::int64_t reductions = 0;  // of cwnd
};

class Sender {
 public:
  using Transmit = std::function<void(const OutgoingSegment&)>;

  Sender(const SenderOptions& options, const DecodingOverhead& overhead, Transmit transmit);

  // The application has so many source symbols, in all; the first offer begins the handshake.
  void offer(Nanoseconds now_ns, std::int64_t source_symbols);

  void on_ack(Nanoseconds now_ns, const Reply& reply);

  // What is due by now happens; call it no later than next_deadline_ns() says, which may change with every call.
  void on_timer(Nanoseconds now_ns);
  Nanoseconds next_deadline_ns() const;  // never: nothing is due

  bool is_done() const { return is_connected_ && !blocks_.has_work(); }  // the receiver has decoded all that was offered
  double cwnd() const { return cwnd_; }
  double ssthresh() const { return ssthresh_; }
  bool is_reduced() const { return segments_.first() < reduced_before_; }  // in the round trip of a reduction
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
