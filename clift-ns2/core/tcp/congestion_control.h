// What a sender asks of its congestion control, and what it tells it.
//
// The sender (core/tcp/sender.h) does the rest: scoreboard, loss detection, retransmission timer, proportional rate
// reduction, undo, delivery-rate samples, pacing. Windows, counts and sequence numbers are packets, rates packets per
// second, times integer nanoseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/time.h"

namespace clift::tcp {

// How the sender stands towards losses.
enum class RecoveryState : std::uint8_t {
  open,      // nothing is missing
  disorder,  // something was acknowledged out of order or twice, nothing is marked lost
  recovery,  // fast recovery, until all that was sent before it is acknowledged
  loss,      // after a retransmission timeout, until all that was sent before it is acknowledged
};

inline constexpr std::int64_t duplicate_threshold = 3;  // RFC 5681
inline constexpr std::int64_t infinite_ssthresh = std::numeric_limits<std::int32_t>::max();

struct ControlParameters {
  std::int64_t initial_window = 10;  // RFC 6928
  std::int64_t packet_bytes = 1500;  // with headers: for limits that a specification gives in bytes or bits
  std::int64_t window_clamp = std::numeric_limits<std::int32_t>::max();  // upper bound on the window
  std::function<double()> uniform;   // draws from [0, 1), for what a specification leaves to chance; may be empty
};

// One measurement of how fast the path delivers (draft-ietf-ccwg-bbr, section "Delivery Rate Samples"). P is the
// packet sent last among those that the ACK newly acknowledges or selectively acknowledges.
struct RateSample {
  double delivery_rate = 0.0;        // delivered / interval; 0: no valid sample
  Nanoseconds interval_ns = 0;       // the longer of send and ACK interval; 0: no valid sample
  std::int64_t delivered = 0;        // packets delivered from P's sending to now
  std::int64_t prior_delivered = 0;  // total of packets delivered when P was sent
  std::int64_t lost = 0;             // packets marked lost from P's sending to now
  std::int64_t tx_in_flight = 0;     // packets in flight just after P was sent, P included
  bool is_app_limited = false;       // the application, not the window, limited what was sent before P
};

// One ACK, as it stands when scoreboard, loss detection and timers have dealt with it.
struct AckSample {
  Nanoseconds now_ns = 0;
  std::int64_t newly_acked = 0;      // by which snd_una has moved, selectively acknowledged ones included
  std::int64_t newly_delivered = 0;  // newly acknowledged, in order or selectively, each packet once
  std::int64_t newly_lost = 0;       // marked lost by this ACK
  Nanoseconds rtt_ns = -1;           // of the packet sent last among those newly delivered; -1: none
  Nanoseconds srtt_ns = 0;           // RFC 6298, this ACK's sample included; 0: none yet
  Nanoseconds min_rtt_ns = never;    // least sample of the connection; never: none yet
  std::int64_t prior_in_flight = 0;  // before this ACK
  std::int64_t in_flight = 0;        // after it, without what is marked lost
  std::int64_t delivered = 0;        // total since the start
  std::int64_t lost = 0;             // total of losses marked since the start, each time that a packet was
  std::int64_t snd_una = 0;          // first packet that is not acknowledged in order
  std::int64_t snd_nxt = 0;          // first packet that was never sent; with snd_una enough to count rounds
  RecoveryState state = RecoveryState::open;  // after this ACK
  std::int64_t reordering = duplicate_threshold;  // by how many packets one was overtaken, at most; at least this
  bool is_cwnd_limited = false;      // in the last round the window, not application or receiver, limited the sender
  bool is_app_limited = false;       // nothing to send now although the window would allow it
  RateSample rate;
};

// A packet that is marked lost, one call for each, before the ACK that tells of it is reported.
struct LostPacket {
  Nanoseconds now_ns = 0;
  std::int64_t packet = 0;           // its sequence number
  std::int64_t delivered = 0;        // total since the start, this ACK's packets included
  std::int64_t tx_in_flight = 0;     // packets in flight just after it was sent, it included
  std::int64_t lost_since_sent = 0;  // packets marked lost from its sending to now, it included
  std::int64_t delivered_since_sent = 0;
  bool is_app_limited = false;       // the application limited what was sent before it
};

// One packet, just before it is sent.
struct Transmission {
  Nanoseconds now_ns = 0;
  std::int64_t in_flight = 0;   // without it
  bool is_retransmission = false;
  bool is_app_limited = false;  // the connection is application-limited; with in_flight 0 a restart from idle
};

// Losses that call for a response.
struct CongestionEvent {
  Nanoseconds now_ns = 0;
  std::int64_t in_flight = 0;   // when the loss was found, before anything was marked lost
  std::int64_t delivered = 0;   // total since the start
  std::int64_t snd_una = 0;
  std::int64_t snd_nxt = 0;
  Nanoseconds srtt_ns = 0;      // 0: none yet
  Nanoseconds min_rtt_ns = never;
  bool is_repeated = false;     // a timeout of a packet that has timed out before, or during recovery from a timeout
};

class CongestionControl {
 public:
  CongestionControl() = default;
  CongestionControl(const CongestionControl&) = delete;
  CongestionControl& operator=(const CongestionControl&) = delete;
  virtual ~CongestionControl() = default;

  // ---- answers, asked after any of the calls below; cwnd is at least 1
  virtual double cwnd() const = 0;
  virtual std::int64_t ssthresh() const = 0;                         // infinite_ssthresh: none
  virtual double pacing_rate() const { return 0.0; }                 // 0: not paced
  virtual std::int64_t send_quantum() const { return 1; }            // packets that may leave at once when paced

  // Whether cwnd() holds in fast recovery, too. Otherwise the sender follows PRR (RFC 9937) towards the ssthresh that
  // on_enter_recovery has set, and cwnd() counts again after on_exit_recovery.
  virtual bool regulates_recovery() const { return false; }

  // ---- calls
  virtual void on_start(Nanoseconds now_ns) { (void)now_ns; }        // once, before the first packet
  virtual void on_transmit(const Transmission& packet) { (void)packet; }
  virtual void on_lost(const LostPacket& packet) { (void)packet; }

  // Every ACK that brings anything, in every state: after on_lost, on_enter_recovery, on_exit_recovery and on_undo that
  // the same ACK causes. A control that is not to grow in fast recovery looks at ack.state.
  virtual void on_ack(const AckSample& ack) = 0;

  // Fast recovery begins: ssthresh must be the new one when this returns.
  virtual void on_enter_recovery(const CongestionEvent& event) = 0;

  // A retransmission timeout: all in flight is taken for lost; cwnd is to be what RFC 5681 calls the loss window.
  virtual void on_timeout(const CongestionEvent& event) = 0;

  // Recovery, or the state after a timeout, ends (`from` is that state). After fast recovery cwnd is at most ssthresh.
  virtual void on_exit_recovery(Nanoseconds now_ns, RecoveryState from) = 0;

  // The last reduction was unfounded (DSACK, Eifel or F-RTO: RFC 3708, 3522, 5682): cwnd and ssthresh go back to what
  // they were before it, if they are less. `from` is the state that ends.
  virtual void on_undo(Nanoseconds now_ns, RecoveryState from) = 0;

  // Nothing was in flight for longer than the retransmission timeout and sending starts again (RFC 2861, 5681).
  virtual void on_idle_restart(Nanoseconds now_ns, Nanoseconds idle_ns, Nanoseconds rto_ns) {
    (void)now_ns, (void)idle_ns, (void)rto_ns;
  }
};

// The congestion control of that name; null when there is none. core/tcp/congestion/registry.cc lists them.
std::unique_ptr<CongestionControl> make_congestion_control(const std::string& name,
                                                           const ControlParameters& parameters);

// Names in alphabetical order.
std::vector<std::string> congestion_control_names();

}  // namespace clift::tcp
