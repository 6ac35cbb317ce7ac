#include "core/tcp/congestion/careful_resume.h"

#include <cmath>

namespace clift::tcp {

CarefulResume::CarefulResume(std::unique_ptr<WindowBased> control, const SavedPath& saved, std::int64_t initial_window)
    : control_(std::move(control)), reconnaissance_(saved, initial_window), initial_window_(initial_window) {}

double CarefulResume::pacing_rate() const {
  if (phase_ != Phase::unvalidated) return control_->pacing_rate();
  return jump_cwnd_ / to_seconds(rtt_ns_);
}

// The flight of the packet itself counts: the phase ends when the window is used up.
void CarefulResume::on_transmit(const Transmission& packet) {
  control_->on_transmit(packet);
  if (phase_ != Phase::unvalidated) return;
  const std::int64_t in_flight = packet.in_flight + 1;
  const bool is_window_full = in_flight >= static_cast<std::int64_t>(std::floor(jump_cwnd_));
  if (is_window_full || has_lasted_a_round_trip(packet.now_ns)) end_jump(in_flight, pipe(delivered_));
}

void CarefulResume::on_ack(const AckSample& ack) {
  delivered_ = ack.delivered;
  if (ack.rtt_ns >= 0) rtt_ns_ = ack.rtt_ns;
  // No packet was sent since the phase ended: the window was full.
  const bool is_settling = phase_ == Phase::validating || phase_ == Phase::safe_retreat;
  if (is_settling && last_unvalidated_ < 0) last_unvalidated_ = ack.snd_nxt - 1;

  if (phase_ == Phase::safe_retreat) {
    // Recovery may go on, but no packet of the jump is under way any more.
    if (ack.last_delivered < last_unvalidated_) return;
    phase_ = Phase::normal;
    control_->set_ssthresh_of_loss_at(pipe(delivered_));
    return;
  }
  if (has_retreated_ && ack.state == RecoveryState::recovery) {
    // What is left of the recovery: slow start up to the new threshold.
    const double grown = cwnd() + static_cast<double>(ack.newly_delivered);
    control_->set_cwnd(std::max(cwnd(), std::min(grown, static_cast<double>(ssthresh()))));
    return;
  }

  control_->on_ack(ack);
  if (phase_ == Phase::reconnaissance) {
    const std::optional<double> cwnd_to_try = reconnaissance_.on_ack(ack, cwnd());
    if (cwnd_to_try) {
      jump(ack, *cwnd_to_try);
    } else if (reconnaissance_.is_over()) {
      phase_ = Phase::normal;
    }
  } else if (phase_ == Phase::unvalidated) {
    control_->set_cwnd(jump_cwnd_);
    if (ack.rtt_ns >= 0 && !reconnaissance_.fits(ack.rtt_ns)) {
      retreat(pipe(delivered_));
    } else if (ack.snd_una > first_unvalidated_ || has_lasted_a_round_trip(ack.now_ns)) {
      end_jump(ack.in_flight, pipe(delivered_));
    }
  } else if (phase_ == Phase::validating && ack.snd_una > last_unvalidated_) {
    phase_ = Phase::normal;
  }
}

void CarefulResume::jump(const AckSample& ack, double cwnd) {
  phase_ = Phase::unvalidated;
  jump_cwnd_ = cwnd;
  jump_ns_ = ack.now_ns;
  if (ack.rtt_ns < 0) rtt_ns_ = ack.srtt_ns;
  flight_at_jump_ = ack.in_flight;
  delivered_at_jump_ = ack.delivered;
  first_unvalidated_ = ack.snd_nxt;
  control_->set_cwnd(cwnd);
}

void CarefulResume::end_jump(std::int64_t in_flight, double pipe) {
  const double flight = static_cast<double>(in_flight);
  if (in_flight < initial_window_ || flight <= pipe) {  // the application had not enough to send
    phase_ = Phase::normal;
    control_->set_cwnd(std::max(pipe, static_cast<double>(initial_window_)));
  } else {
    phase_ = Phase::validating;
    control_->set_cwnd(flight);
  }
}

void CarefulResume::retreat(double pipe) {
  phase_ = Phase::safe_retreat;
  control_->set_cwnd(pipe / 2.0);
}

void CarefulResume::on_enter_recovery(const CongestionEvent& event) {
  reconnaissance_.end();
  if (phase_ == Phase::reconnaissance) phase_ = Phase::normal;
  has_retreated_ = phase_ != Phase::normal;
  if (!has_retreated_) {
    control_->on_enter_recovery(event);
    return;
  }
  const double validated = pipe(event.delivered);
  const double kept = cwnd();
  control_->set_cwnd(validated);  // the control has not found its own window: it must not remember the jump
  control_->on_enter_recovery(event);
  if (phase_ == Phase::safe_retreat) {
    control_->set_cwnd(kept);
  } else {
    retreat(validated);
  }
}

void CarefulResume::on_exit_recovery(Nanoseconds now_ns, RecoveryState from) {
  const double kept = cwnd();
  control_->on_exit_recovery(now_ns, from);
  if (has_retreated_) control_->set_cwnd(std::min(cwnd(), kept));
  has_retreated_ = false;
}

// Ends Careful Resume. The window of a jump was never validated, so the threshold comes from what was.
void CarefulResume::on_timeout(const CongestionEvent& event) {
  reconnaissance_.end();
  if (phase_ == Phase::unvalidated || phase_ == Phase::validating) control_->set_cwnd(pipe(event.delivered));
  phase_ = Phase::normal;
  has_retreated_ = false;
  control_->on_timeout(event);
}

void CarefulResume::on_undo(Nanoseconds now_ns, RecoveryState from) {
  control_->on_undo(now_ns, from);
  phase_ = Phase::normal;
  has_retreated_ = false;
}

}  // namespace clift::tcp
