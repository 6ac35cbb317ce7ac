// Careful Resume (RFC 9959) around a control that works by its window: after the first round trip the window jumps to
// half of the one that an earlier connection had, paced over a round-trip time. Losses of the packets that it sends lead
// to a safe retreat. Before and after, the control is alone.
#pragma once

#include <algorithm>
#include <memory>

#include "core/tcp/congestion/reconnaissance.h"
#include "core/tcp/congestion/window_based.h"

namespace clift::tcp {

class CarefulResume : public CongestionControl {
 public:
  enum class Phase { reconnaissance, unvalidated, validating, safe_retreat, normal };

  CarefulResume(std::unique_ptr<WindowBased> control, const SavedPath& saved, std::int64_t initial_window);

  double cwnd() const override { return control_->cwnd(); }
  std::int64_t ssthresh() const override { return control_->ssthresh(); }
  double pacing_rate() const override;
  bool answers_marks() const override { return control_->answers_marks(); }
  // PRR would reduce the flight too slowly (section 4.5).
  bool regulates_recovery() const override { return has_retreated_ || control_->regulates_recovery(); }

  void on_start(Nanoseconds now_ns) override { control_->on_start(now_ns); }
  void on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) override { control_->on_established(now_ns, rtt_ns); }
  void on_transmit(const Transmission& packet) override;
  void on_lost(const LostPacket& packet) override { control_->on_lost(packet); }
  void on_ack(const AckSample& ack) override;
  void on_enter_recovery(const CongestionEvent& event) override;
  void on_timeout(const CongestionEvent& event) override;
  void on_exit_recovery(Nanoseconds now_ns, RecoveryState from) override;
  void on_undo(Nanoseconds now_ns, RecoveryState from) override;
  void on_idle_restart(Nanoseconds now_ns, Nanoseconds idle_ns, Nanoseconds rto_ns) override {
    control_->on_idle_restart(now_ns, idle_ns, rto_ns);
  }

  Phase phase() const { return phase_; }

  // The capacity that ACKs have validated, in packets (PipeSize): the flight before the jump, and what was delivered of
  // the packets sent since. `delivered`: all of the connection.
  double pipe(std::int64_t delivered) const {
    return static_cast<double>(std::max(flight_at_jump_, delivered - delivered_at_jump_));
  }

 private:
  void jump(const AckSample& ack, double cwnd);
  void end_jump(std::int64_t in_flight, double pipe);
  void retreat(double pipe);
  bool has_lasted_a_round_trip(Nanoseconds now_ns) const { return now_ns - jump_ns_ > rtt_ns_; }

  std::unique_ptr<WindowBased> control_;
  Reconnaissance reconnaissance_;
  std::int64_t initial_window_;
  Phase phase_ = Phase::reconnaissance;
  bool has_retreated_ = false;  // in this recovery

  double jump_cwnd_ = 0.0;
  Nanoseconds jump_ns_ = 0;
  Nanoseconds rtt_ns_ = 0;  // the last sample
  std::int64_t flight_at_jump_ = 0;
  std::int64_t delivered_at_jump_ = 0;
  std::int64_t delivered_ = 0;           // at the last ACK
  std::int64_t first_unvalidated_ = 0;   // packets
  std::int64_t last_unvalidated_ = -1;   // -1: known at the next ACK
};

}  // namespace clift::tcp
