// BBR version 3: draft-ietf-ccwg-bbr-06. Names and order of the steps follow its section 5.
#pragma once

#include <limits>

#include "core/tcp/congestion/bandwidth_plateau.h"
#include "core/tcp/congestion/bbr_base.h"

namespace clift::tcp {

// Like version 1 it sends at the measured delivery rate. Unlike version 1 it probes in four phases, and a loss rate
// above 2 % bounds the rate and the flight. Without ECN, as the draft.
class Bbr3 : public BbrBase {
 public:
  enum class State { startup, drain, probe_bw_down, probe_bw_cruise, probe_bw_refill, probe_bw_up, probe_rtt };

  static constexpr double unbounded = std::numeric_limits<double>::infinity();

  explicit Bbr3(const ControlParameters& parameters) : BbrBase(parameters) {}

  void on_start(Nanoseconds now_ns) override;
  void on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) override;
  void on_transmit(const Transmission& packet) override;
  void on_lost(const LostPacket& packet) override;
  void on_ack(const AckSample& ack) override;
  void on_enter_recovery(const CongestionEvent& event) override;
  void on_timeout(const CongestionEvent& event) override;
  void on_exit_recovery(Nanoseconds now_ns, RecoveryState from) override;
  void on_undo(Nanoseconds now_ns, RecoveryState from) override;

  State state() const { return state_; }
  double bandwidth() const { return bandwidth_; }
  double shortterm_bandwidth() const { return shortterm_.bandwidth; }
  double inflight_shortterm() const { return shortterm_.inflight; }
  double inflight_longterm() const { return inflight_longterm_; }
  double extra_acked() const { return aggregation_.extra(); }
  Nanoseconds min_rtt_ns() const { return min_rtt_ns_; }

 private:
  // The packets that the arriving ACKs acknowledge, with respect to the last probing (BBR.ack_phase).
  enum class AckPhase { init, refilling, probe_starting, probe_feedback, probe_stopping };

  // Bounds from losses outside of probing since the last probing.
  struct ShortTerm {
    double bandwidth = unbounded;
    double inflight = unbounded;
  };

  // State to restore when a detected loss was spurious.
  struct Undo {
    enum class Return { none, startup, probe_bw_up };
    bool is_saved = false;  // in this episode of losses
    Return to = Return::none;
    ShortTerm shortterm;
    double inflight_longterm = unbounded;
  };

  // State machine (5.3).
  void enter_startup() { state_ = State::startup; }
  void enter_drain();
  void enter_probe_bw_down(Nanoseconds now_ns, std::int64_t delivered);
  void enter_probe_bw_refill(std::int64_t delivered);
  void enter_probe_bw_up(const AckSample& ack);
  void check_full_bandwidth_reached(const AckSample& ack);
  void check_startup_done(const AckSample& ack);
  void check_drain_done(const AckSample& ack);
  void update_probe_bw_phase(const AckSample& ack);
  bool adapt_longterm_model(const AckSample& ack);
  bool is_time_to_probe(const AckSample& ack);
  bool is_time_to_cruise(const AckSample& ack) const;
  bool is_time_to_go_down(const AckSample& ack);
  void raise_inflight_longterm_slope();
  void probe_inflight_longterm_upward(const AckSample& ack);
  void check_probe_rtt(const AckSample& ack);
  void handle_probe_rtt(const AckSample& ack);
  void check_probe_rtt_done(Nanoseconds now_ns, std::int64_t delivered);
  bool is_in_probe_bw() const;
  bool is_probing() const;

  // Model (5.5).
  void update_latest_delivery_signals(const AckSample& ack);
  void update_congestion_signals(const AckSample& ack);
  void update_ack_aggregation(const AckSample& ack);
  void update_min_rtt(const AckSample& ack);
  void advance_latest_delivery_signals(const AckSample& ack);
  void adapt_lower_bounds();
  void handle_inflight_too_high(double tx_in_flight, bool is_app_limited, Nanoseconds now_ns, std::int64_t delivered);
  void reset_congestion_signals();
  void save_state_upon_loss();

  // Control (5.6).
  double pacing_gain() const;
  double cwnd_gain() const;
  double bdp(double bandwidth) const;
  double with_quantization_budget(double inflight) const;
  double inflight(double bandwidth, double gain) const;
  double inflight_with_headroom() const;
  double target_inflight() const;
  double probe_rtt_cwnd() const;
  void set_pacing_rate(double gain);
  void set_cwnd(const AckSample& ack);
  void bound_cwnd_for_model();

  State state_ = State::startup;
  Undo undo_;

  std::int64_t drain_start_round_ = 0;
  std::int64_t rounds_since_probe_up_ = 0;
  std::int64_t cycle_count_ = 0;
  double bandwidth_ = 0.0;
  ShortTerm shortterm_;
  double inflight_longterm_ = unbounded;

  BandwidthPlateau full_bandwidth_;
  bool full_bandwidth_reached_ = false;  // set once, then kept

  AckPhase ack_phase_ = AckPhase::init;
  Nanoseconds cycle_stamp_ns_ = 0;
  Nanoseconds probe_wait_ns_ = 0;
  bool is_probe_sample_ = false;
  bool prev_probe_too_high_ = false;
  bool prev_probe_precautionary_ = false;
  double probe_up_acked_per_increment_ = unbounded;
  double probe_up_acked_ = 0.0;
  int probe_up_rounds_ = 0;

  // Rounds of losses: the first lost packet of a round starts a new one.
  std::int64_t loss_round_delivered_ = 0;
  bool loss_round_begins_ = false;
  bool is_loss_in_round_ = false;
  int lost_ranges_in_round_ = 0;
  std::int64_t last_lost_packet_ = -2;
  bool is_startup_loss_high_ = false;
  double latest_bandwidth_ = 0.0;
  double latest_inflight_ = 0.0;

  Nanoseconds min_rtt_ns_ = never;
  Nanoseconds min_rtt_stamp_ns_ = 0;
  Nanoseconds probe_rtt_min_delay_ns_ = never;
  Nanoseconds probe_rtt_min_stamp_ns_ = 0;
  bool probe_rtt_expired_ = false;
  std::int64_t delivered_ = 0;
};

}  // namespace clift::tcp
