#include "core/tcp/congestion/window_based.h"

#include <algorithm>
#include <cmath>

namespace clift::tcp {

WindowBased::WindowBased(const ControlParameters& parameters, SlowStart own)
    : cwnd_(static_cast<double>(parameters.initial_window)),
      initial_window_(parameters.initial_window),
      window_clamp_(static_cast<double>(parameters.window_clamp)),
      first_slow_start_(parameters.slow_start.value_or(own)) {}

void WindowBased::on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) {
  first_slow_start_.on_established(now_ns, rtt_ns);
}

void WindowBased::on_ack(const AckSample& ack) {
  const bool is_first_start = ssthresh_ == infinite_ssthresh;
  grow(ack);
  if (!is_first_start) return;
  const std::optional<double> cwnd = first_slow_start_.end(ack, cwnd_);
  if (cwnd) leave_first_slow_start(std::max(*cwnd, std::min(cwnd_, static_cast<double>(initial_window_))));
}

void WindowBased::leave_first_slow_start(double cwnd) {
  cwnd_ = cwnd;
  ssthresh_ = std::max<std::int64_t>(2, static_cast<std::int64_t>(cwnd_));
}

void WindowBased::grow(const AckSample& ack) {
  if (ack.state == RecoveryState::recovery || !may_grow(ack)) return;
  // As in Linux, out-of-order delivery counts on paths that are known to reorder packets.
  if (ack.newly_acked == 0 && ack.reordering <= duplicate_threshold) return;
  // The ACK that ends a recovery acknowledges packets that were selectively acknowledged long before. They let no
  // window grow then, and let none grow now.
  std::int64_t acked = growing(ack);
  if (acked > 0 && in_slow_start()) acked = slow_start(acked, ack);
  if (acked > 0) avoid_congestion(acked, ack);
  cwnd_ = std::min(cwnd_, window_clamp_);
}

std::int64_t WindowBased::slow_start(std::int64_t acked, const AckSample&) {
  if (ssthresh_ == infinite_ssthresh) {
    cwnd_ += first_slow_start_.growth(static_cast<double>(acked));
    return 0;
  }
  const std::int64_t room = ssthresh_ - static_cast<std::int64_t>(std::floor(cwnd_));
  const std::int64_t used = std::min(acked, room);
  cwnd_ = std::min(cwnd_ + static_cast<double>(used), static_cast<double>(ssthresh_));
  return acked - used;
}

void WindowBased::on_enter_recovery(const CongestionEvent& event) {
  remember();
  ssthresh_ = std::max<std::int64_t>(2, reduced_ssthresh(event));
}

// A second timeout of the same flight finds the window reduced and keeps the threshold (RFC 5681, section 3.1).
void WindowBased::on_timeout(const CongestionEvent& event) {
  if (!event.is_repeated) {
    remember();
    ssthresh_ = std::max<std::int64_t>(2, reduced_ssthresh(event));
  }
  cwnd_ = 1.0;
}

void WindowBased::on_exit_recovery(Nanoseconds, RecoveryState from) {
  if (from == RecoveryState::recovery) cwnd_ = static_cast<double>(ssthresh_);
}

void WindowBased::on_undo(Nanoseconds, RecoveryState) {
  if (prior_cwnd_ == 0.0) return;
  cwnd_ = std::max(cwnd_, prior_cwnd_);
  ssthresh_ = std::max(ssthresh_, prior_ssthresh_);
  prior_cwnd_ = 0.0;
}

// Halves the window for each timeout that has passed, not below the initial window, and keeps three quarters of it as
// the threshold (RFC 2861, section 3.2).
void WindowBased::on_idle_restart(Nanoseconds, Nanoseconds idle_ns, Nanoseconds rto_ns) {
  const double restart = std::min(static_cast<double>(initial_window_), cwnd_);
  ssthresh_ = std::max(ssthresh_, static_cast<std::int64_t>(0.75 * cwnd_));
  for (; idle_ns > rto_ns && cwnd_ > restart; idle_ns -= rto_ns) cwnd_ /= 2.0;
  cwnd_ = std::max(cwnd_, restart);
}

void WindowBased::set_ssthresh_of_loss_at(double window) {
  const double cwnd = cwnd_;
  cwnd_ = window;
  ssthresh_ = std::max<std::int64_t>(2, reduced_ssthresh({}));
  cwnd_ = cwnd;
}

void WindowBased::remember() {
  prior_cwnd_ = cwnd_;
  prior_ssthresh_ = ssthresh_;
}

}  // namespace clift::tcp
