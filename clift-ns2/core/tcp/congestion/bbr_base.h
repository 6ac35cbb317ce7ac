// What both versions of BBR share: window and pacing rate, rounds, limits by the application, the saved window.
#pragma once

#include <algorithm>
#include <functional>

#include "core/tcp/congestion/ack_aggregation.h"
#include "core/tcp/congestion/app_limited_span.h"
#include "core/tcp/congestion/bbr_resume.h"
#include "core/tcp/congestion/round_counter.h"
#include "core/tcp/congestion/windowed_max.h"
#include "core/tcp/congestion_control.h"

namespace clift::tcp {

class BbrBase : public CongestionControl {
 public:
  double cwnd() const override { return cwnd_; }
  std::int64_t ssthresh() const override { return infinite_ssthresh; }
  double pacing_rate() const override { return pacing_rate_; }
  bool regulates_recovery() const override { return true; }

  // The largest delivery rate of the filter (BtlBw, BBR.max_bw).
  double max_bandwidth() const { return max_bandwidth_.largest(); }

  const BbrResume& resume() const { return resume_; }

 protected:
  explicit BbrBase(const ControlParameters& parameters)
      : initial_window_(static_cast<double>(parameters.initial_window)),
        packet_bytes_(static_cast<double>(parameters.packet_bytes)),
        uniform_(parameters.uniform ? parameters.uniform : [] { return 0.0; }),
        cwnd_(initial_window_),
        resume_(parameters) {}

  bool is_app_limited(const AckSample& ack) const {
    return ack.rate.is_app_limited || held_back_.covers(ack.rate.prior_delivered);
  }

  // Adds the ACK's delivery rate to the filter over `length` periods, of which this is number `period`.
  void update_max_bandwidth(const AckSample& ack, std::int64_t period, std::int64_t length) {
    const double rate = ack.rate.delivery_rate;
    if (resume_.is_draining()) return;
    if (rate > 0.0 && (rate >= max_bandwidth() || !is_app_limited(ack))) max_bandwidth_.update(rate, period, length);
  }

  // The first pacing rate spreads the initial window over the first sample of the RTT, which is the handshake's if
  // there is one.
  void begin_pacing(Nanoseconds srtt_ns, double gain) {
    if (has_seen_rtt_ || srtt_ns <= 0) return;
    has_seen_rtt_ = true;
    pacing_rate_ = gain * initial_window_ / to_seconds(srtt_ns);
  }

  // The probe of Careful Resume raises pacing rate and window in Startup.
  void probe_to_resume(double gain, double bandwidth, Nanoseconds min_rtt_ns) {
    if (!resume_.is_probing() || resume_.is_draining() || recovery_ != RecoveryState::open) return;
    pacing_rate_ = resume_.raised(pacing_rate_);
    cwnd_ = std::max(cwnd_, gain * resume_.raised(bandwidth) * to_seconds(min_rtt_ns));
  }

  void save_cwnd(bool is_in_probe_rtt) {
    const bool undisturbed = recovery_ == RecoveryState::open && !is_in_probe_rtt;
    prior_cwnd_ = undisturbed ? cwnd_ : std::max(prior_cwnd_, cwnd_);
  }
  void restore_cwnd() { cwnd_ = std::max(cwnd_, prior_cwnd_); }

  const double initial_window_;
  const double packet_bytes_;
  const std::function<double()> uniform_;

  double cwnd_;
  double prior_cwnd_ = 0.0;
  double pacing_rate_ = 0.0;
  bool has_seen_rtt_ = false;
  bool idle_restart_ = false;
  RecoveryState recovery_ = RecoveryState::open;  // fast recovery, after a timeout, or neither

  WindowedMax max_bandwidth_;
  RoundCounter rounds_;
  bool round_begins_ = false;
  Nanoseconds probe_rtt_done_ns_ = never;  // never: not yet down to the window of ProbeRTT
  bool probe_rtt_round_done_ = false;
  AppLimitedSpan held_back_;
  AckAggregation aggregation_;
  BbrResume resume_;
};

}  // namespace clift::tcp
