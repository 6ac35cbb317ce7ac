#include "core/tcp/congestion/cubic.h"

#include <algorithm>
#include <cmath>

namespace clift::tcp {

namespace {

constexpr double c = 0.4;      // segments per second cubed (section 5.1)
constexpr double beta = 0.7;   // section 4.6
constexpr double beta_of_marks = 0.85;  // RFC 8511, section 3.1; not in slow start (4)
constexpr double alpha = 3.0 * (1.0 - beta) / (1.0 + beta);  // section 4.3
constexpr double most_growth = 1.5;                          // of the window in an RTT (section 4.2)

}  // namespace

Cubic::Cubic(const ControlParameters& parameters) : WindowBased(parameters, SlowStart::hystart) {}

// Nothing was in flight since the last acknowledgement.
void Cubic::on_transmit(const Transmission& packet) {
  if (packet.in_flight == 0) pass_time(packet.now_ns, false);
}

// The curve stands still while the application limits the sender (section 5.8).
void Cubic::pass_time(Nanoseconds now_ns, bool counts) {
  if (!counts && curve_.epoch_ns != never) curve_.epoch_ns += now_ns - passed_ns_;
  passed_ns_ = now_ns;
}

void Cubic::on_ack(const AckSample& ack) {
  pass_time(ack.now_ns, may_grow(ack));
  WindowBased::on_ack(ack);
}

void Cubic::leave_first_slow_start(double cwnd) {
  WindowBased::leave_first_slow_start(cwnd);
  curve_.cwnd_prior = cwnd_;
  flat_start_ = true;
}

void Cubic::on_timeout(const CongestionEvent& event) {
  WindowBased::on_timeout(event);
  curve_.epoch_ns = never;
  flat_start_ = true;
}

// Section 4.9: the stage goes on as if there had been no loss, unless the window has outgrown its curve.
void Cubic::on_undo(Nanoseconds now_ns, RecoveryState from) {
  if (cwnd_ < curve_.cwnd_prior) curve_ = before_;
  WindowBased::on_undo(now_ns, from);
}

std::int64_t Cubic::reduced_ssthresh(const CongestionEvent& event) {
  const double kept = event.is_mark && !in_slow_start() ? beta_of_marks : beta;
  before_ = curve_;
  curve_.cwnd_prior = cwnd_;
  curve_.w_max = cwnd_ < curve_.w_max ? cwnd_ * (1.0 + beta) / 2.0 : cwnd_;  // fast convergence (section 4.7)
  curve_.epoch_ns = never;
  flat_start_ = false;
  return static_cast<std::int64_t>(cwnd_ * kept);
}

void Cubic::begin_stage(Nanoseconds now_ns) {
  curve_.epoch_ns = now_ns;
  curve_.w_est = cwnd_;
  if (flat_start_) curve_.w_max = cwnd_;
  flat_start_ = false;
  curve_.k_s = std::cbrt((curve_.w_max - cwnd_) / c);
}

double Cubic::w_cubic(double t_s) const {
  const double from_plateau_s = t_s - curve_.k_s;
  return c * from_plateau_s * from_plateau_s * from_plateau_s + curve_.w_max;
}

void Cubic::avoid_congestion(std::int64_t acked, const AckSample& ack) {
  if (curve_.epoch_ns == never) begin_stage(ack.now_ns);
  const double segments = static_cast<double>(acked);
  const double t_s = to_seconds(ack.now_ns - curve_.epoch_ns);
  const double srtt_s = to_seconds(ack.srtt_ns);

  curve_.w_est += (curve_.w_est < curve_.cwnd_prior ? alpha : 1.0) * segments / cwnd_;
  if (w_cubic(t_s) < curve_.w_est) {
    cwnd_ = std::max(cwnd_, curve_.w_est);
    return;
  }
  const double target = std::clamp(w_cubic(t_s + srtt_s), cwnd_, most_growth * cwnd_);
  cwnd_ += segments * (target - cwnd_) / cwnd_;
}

}  // namespace clift::tcp
