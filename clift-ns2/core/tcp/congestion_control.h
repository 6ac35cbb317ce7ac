// Interface between a sender and its congestion control.
//
// The sender (core/tcp/sender.h) does the rest: scoreboard, loss detection, retransmission timer, proportional rate
// reduction, undo, delivery-rate samples, pacing. Windows, counts and sequence numbers are in packets, rates in packets
// per second, times in integer nanoseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"

namespace clift::tcp {

// State of the sender's loss recovery.
enum class RecoveryState : std::uint8_t {
  open,      // nothing is missing
  disorder,  // a packet was acknowledged out of order or twice; no packet is marked lost
  recovery,  // fast recovery, until every packet sent before it is acknowledged
  loss,      // after a retransmission timeout, until every packet sent before it is acknowledged
};

inline constexpr std::int64_t duplicate_threshold = 3;  // RFC 5681
inline constexpr std::int64_t infinite_ssthresh = std::numeric_limits<std::int32_t>::max();

// How the first slow start ends before a loss.
enum class SlowStart : std::uint8_t {
  standard,  // it does not (RFC 5681)
  hystart,   // when the round-trip time grows (RFC 9406)
  search,    // when deliveries no longer double (draft-chung-ccwg-search)
};

// What an earlier connection over the path has left for Careful Resume (RFC 9959).
struct SavedPath {
  double window = 0.0;            // packets in flight (saved_cwnd)
  Nanoseconds rtt_ns = 0;         // least round-trip time (saved_rtt)
  Nanoseconds expiry_ns = never;  // from then on the values must not be used
};

struct ControlParameters {
  std::int64_t initial_window = 10;  // RFC 6928
  std::int64_t packet_bytes = 1500;  // with headers: for limits in bytes or bits
  std::int64_t window_clamp = std::numeric_limits<std::int32_t>::max();  // upper bound on the window
  std::function<double()> uniform;   // draws from [0, 1), for specified random choices; may be empty
  std::optional<SlowStart> slow_start;  // none: the control's own
  std::optional<SavedPath> saved;       // none: nothing to resume from
};

// One measurement of the path's delivery rate (draft-ietf-ccwg-bbr, section "Delivery Rate Samples"). Among the packets
// that the ACK newly acknowledges or selectively acknowledges, P is the one sent last.
struct RateSample {
  double delivery_rate = 0.0;        // delivered / interval; 0: no valid sample
  Nanoseconds interval_ns = 0;       // the longer of send and ACK interval; 0: no valid sample
  std::int64_t delivered = 0;        // packets delivered from P's sending to now
  std::int64_t prior_delivered = 0;  // total of packets delivered when P was sent
  std::int64_t lost = 0;             // packets marked lost from P's sending to now
  std::int64_t tx_in_flight = 0;     // packets in flight just after P was sent, P included
  bool is_app_limited = false;       // the application, not the window, limited the packets before P
};

// One ACK, after scoreboard, loss detection and timers have processed it.
struct AckSample {
  Nanoseconds now_ns = 0;
  std::int64_t newly_acked = 0;      // advance of snd_una, selectively acknowledged packets included
  std::int64_t newly_delivered = 0;  // newly acknowledged, in order or selectively, each packet once
  Nanoseconds rtt_ns = -1;           // of the packet sent last among those newly delivered; -1: none
  Nanoseconds srtt_ns = 0;           // RFC 6298, this ACK's sample included; 0: none yet
  Nanoseconds min_rtt_ns = never;    // least sample of the connection; never: none yet
  std::int64_t prior_in_flight = 0;  // before this ACK
  std::int64_t in_flight = 0;        // after it, without packets marked lost
  std::int64_t delivered = 0;        // total since the start
  std::int64_t snd_una = 0;          // first packet that is not acknowledged in order
  std::int64_t snd_nxt = 0;          // first packet that was never sent; snd_una and snd_nxt suffice to count rounds
  std::int64_t last_delivered = -1;  // the largest number among the packets newly delivered; -1: none
  RecoveryState state = RecoveryState::open;  // after this ACK
  std::int64_t reordering = duplicate_threshold;  // largest number of packets that overtook one; at least this
  bool has_echo = false;             // it reports a mark (ECE): the window does not grow (RFC 3168, section 6.1.2)
  std::int64_t newly_marked = 0;     // packets that it reports as marked; may exceed newly_delivered
  bool is_cwnd_limited = false;      // in the last round the window, not application or receiver, limited the sender
  std::int64_t most_outstanding = 0;  // sent and not acknowledged in order, the most in the last round
  RateSample rate;
};

// A packet that is marked lost: one call for each, before the call for the ACK that revealed the loss.
struct LostPacket {
  Nanoseconds now_ns = 0;
  std::int64_t packet = 0;           // its sequence number
  std::int64_t delivered = 0;        // total since the start, this ACK's packets included
  std::int64_t tx_in_flight = 0;     // packets in flight just after it was sent, it included
  std::int64_t lost_since_sent = 0;  // packets marked lost from its sending to now, it included
  bool is_app_limited = false;       // the application limited the packets before it
};

// One packet, just before it is sent.
struct Transmission {
  Nanoseconds now_ns = 0;
  std::int64_t in_flight = 0;   // without it
  bool is_app_limited = false;  // the connection is application-limited; with in_flight 0 a restart from idle
};

// Losses, or a mark, that call for a response.
struct CongestionEvent {
  std::int64_t in_flight = 0;   // when the loss was detected, before any packet was marked lost
  std::int64_t delivered = 0;   // total since the start
  Nanoseconds min_rtt_ns = never;
  bool is_mark = false;         // of ECN, not a loss
  bool is_repeated = false;     // a second timeout of a packet, or a timeout in recovery from one
};

class CongestionControl {
 public:
  CongestionControl() = default;
  CongestionControl(const CongestionControl&) = delete;
  CongestionControl& operator=(const CongestionControl&) = delete;
  virtual ~CongestionControl() = default;

  // ---- results, valid after any of the calls below; cwnd is at least 1
  virtual double cwnd() const = 0;
  virtual std::int64_t ssthresh() const = 0;                         // infinite_ssthresh: none
  virtual double pacing_rate() const { return 0.0; }                 // 0: not paced

  // Whether cwnd() holds in fast recovery, too. Otherwise the sender follows PRR (RFC 9937) towards the ssthresh that
  // on_enter_recovery has set, and uses cwnd() again after on_exit_recovery.
  virtual bool regulates_recovery() const { return false; }

  // Whether it reduces its window for marks: then a flow may use ECN. For a mark the sender calls on_enter_recovery and
  // on_exit_recovery at once.
  virtual bool answers_marks() const { return false; }
  // Whether it answers the share of marked packets, not one mark in a round as a loss.
  virtual bool is_scalable() const { return false; }
  // Whether it may use ECN only as AccECN.
  virtual bool needs_accurate_ecn() const { return false; }
  // Least time between two answers to marks, beside a round.
  virtual Nanoseconds least_round_ns() const { return 0; }

  // ---- calls
  virtual void on_start(Nanoseconds now_ns) { (void)now_ns; }        // once, before the first packet
  // The handshake ends, and has measured the RTT.
  virtual void on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) { (void)now_ns, (void)rtt_ns; }

  virtual void on_transmit(const Transmission& packet) { (void)packet; }
  virtual void on_lost(const LostPacket& packet) { (void)packet; }

  // Every ACK that acknowledges or reports a packet, in every state: after the on_lost, on_enter_recovery,
  // on_exit_recovery and on_undo that the same ACK causes. A control that must not grow in fast recovery checks
  // ack.state.
  virtual void on_ack(const AckSample& ack) = 0;

  // Fast recovery begins: this must set the new ssthresh.
  virtual void on_enter_recovery(const CongestionEvent& event) = 0;

  // A retransmission timeout: all packets in flight are marked lost. This must set cwnd to RFC 5681's loss window.
  virtual void on_timeout(const CongestionEvent& event) = 0;

  // Recovery, or the state after a timeout, ends (`from` is that state). After fast recovery cwnd is at most ssthresh.
  virtual void on_exit_recovery(Nanoseconds now_ns, RecoveryState from) = 0;

  // The last reduction was spurious (DSACK, Eifel or F-RTO: RFC 3708, 3522, 5682): this restores cwnd and ssthresh from
  // before it, if they are larger. `from` is the state that ends.
  virtual void on_undo(Nanoseconds now_ns, RecoveryState from) = 0;

  // Nothing was in flight for longer than the retransmission timeout, and sending starts again (RFC 2861, 5681).
  virtual void on_idle_restart(Nanoseconds now_ns, Nanoseconds idle_ns, Nanoseconds rto_ns) {
    (void)now_ns, (void)idle_ns, (void)rto_ns;
  }
};

// The congestion control of that name; null when there is none. core/tcp/congestion/registry.cc lists them.
std::unique_ptr<CongestionControl> make_congestion_control(const std::string& name,
                                                           const ControlParameters& parameters);

// Whether it takes a `slow_start`, and `saved` values.
bool has_choice_of_slow_start(const std::string& name);
bool can_resume(const std::string& name);

// Names in alphabetical order.
std::vector<std::string> congestion_control_names();

}  // namespace clift::tcp
