// BBR version 1: draft-cardwell-iccrg-bbr-congestion-control-00, with two later additions of Linux: room for aggregated
// acknowledgements (5.1), and a pacing margin.
#pragma once

#include "core/tcp/congestion/bandwidth_plateau.h"
#include "core/tcp/congestion/bbr_base.h"

namespace clift::tcp {

// Sends at the largest delivery rate of the last ten rounds, and keeps about one bandwidth-delay product in flight.
// Losses do not change the rate.
class Bbr : public BbrBase {
 public:
  enum class State { startup, drain, probe_bw, probe_rtt };

  explicit Bbr(const ControlParameters& parameters);

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
  Nanoseconds rtprop_ns() const { return rtprop_ns_; }
  double pacing_gain() const { return pacing_gain_; }

 private:
  void enter_startup();
  void enter_probe_bw(Nanoseconds now_ns);
  void advance_cycle(Nanoseconds now_ns);
  void update_bandwidth(const AckSample& ack);
  void check_cycle_phase(const AckSample& ack);
  void check_full_pipe(const AckSample& ack);
  void check_drain(const AckSample& ack);
  void update_rtprop(const AckSample& ack);
  void check_probe_rtt(const AckSample& ack);
  void set_pacing_rate(double gain);
  void set_cwnd(const AckSample& ack);
  double inflight(double gain) const { return with_quanta(bdp(gain)); }
  double bdp(double gain) const;
  double with_quanta(double packets) const;
  void update_aggregation(const AckSample& ack);

  State state_ = State::startup;
  double pacing_gain_ = 1.0;
  double cwnd_gain_ = 1.0;

  Nanoseconds rtprop_ns_ = never;
  Nanoseconds rtprop_stamp_ns_ = 0;
  bool rtprop_expired_ = false;

  BandwidthPlateau full_pipe_;

  std::size_t cycle_index_ = 0;
  Nanoseconds cycle_stamp_ns_ = 0;

  bool packet_conservation_ = false;
  RoundCounter recovery_rounds_;
  std::int64_t lost_since_ack_ = 0;
};

}  // namespace clift::tcp
