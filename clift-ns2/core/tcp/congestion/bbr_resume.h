// Careful Resume (RFC 9959) in BBR's Startup: for two rounds the sender probes at half of the rate that an earlier
// connection had. Congestion meanwhile leads to Drain, whose rates do not count: the safe retreat.
#pragma once

#include <algorithm>
#include <optional>

#include "core/tcp/congestion/reconnaissance.h"
#include "core/tcp/congestion/round_counter.h"

namespace clift::tcp {

class BbrResume {
 public:
  explicit BbrResume(const ControlParameters& parameters) {
    if (parameters.saved) reconnaissance_.emplace(*parameters.saved, parameters.initial_window);
  }

  // An ACK in Startup. The probe begins with a round.
  void on_ack(const AckSample& ack, double cwnd, RoundCounter& rounds) {
    if (!reconnaissance_) return;
    const std::optional<double> jump = reconnaissance_->on_ack(ack, cwnd);
    if (jump) {
      rounds.restart(ack.delivered);
      probing_rate_ = *jump / to_seconds(ack.min_rtt_ns);
      last_round_ = rounds.count() + 2;
    } else if (is_probing() && rounds.count() >= last_round_) {
      probing_rate_ = 0.0;
    }
  }

  // Losses: whether Startup must end. Before the probe they prevent it.
  bool on_congestion() {
    if (reconnaissance_) reconnaissance_->end();
    return is_probing();
  }
  void on_drain_begins() { is_draining_ = is_probing(); }
  void on_drain_ends() { probing_rate_ = 0.0, is_draining_ = false; }

  bool is_probing() const { return probing_rate_ > 0.0; }  // "carefully-resuming"
  bool is_draining() const { return is_draining_; }        // delivery rates do not count

  // The rate in Startup, which is at least this without the probe.
  double raised(double rate) const { return is_draining_ ? rate : std::max(rate, probing_rate_); }

 private:
  std::optional<Reconnaissance> reconnaissance_;
  double probing_rate_ = 0.0;  // packets per second; 0: not probing
  std::int64_t last_round_ = 0;
  bool is_draining_ = false;
};

}  // namespace clift::tcp
