#include "core/tcp/congestion/bbr3.h"

#include <algorithm>
#include <cmath>

namespace clift::tcp {

namespace {

constexpr double startup_pacing_gain = 2.77;
constexpr double default_cwnd_gain = 2.0;
constexpr double drain_pacing_gain = 0.5;
constexpr std::int64_t drain_rounds = 3;
constexpr double down_pacing_gain = 0.9;
constexpr double up_pacing_gain = 1.25;
constexpr double up_cwnd_gain = 2.25;
constexpr double probe_rtt_cwnd_gain = 0.5;
constexpr double pacing_margin = 0.01;
constexpr double loss_thresh = 0.02;
constexpr int startup_full_loss_ranges = 6;
constexpr double beta = 0.7;
constexpr double headroom = 0.15;
constexpr double min_pipe_cwnd = 4.0;
constexpr std::int64_t max_bandwidth_cycles = 2;
constexpr std::int64_t extra_acked_rounds = 10;
constexpr double reno_rounds = 63.0;
constexpr Nanoseconds min_rtt_filter_ns = 10'000'000'000;
constexpr Nanoseconds probe_rtt_interval_ns = 5'000'000'000;
constexpr Nanoseconds probe_rtt_duration_ns = 200'000'000;
constexpr double least_probe_wait_ns = 2e9;
constexpr double random_probe_wait_ns = 1e9;

bool is_loss_too_high(double lost, double tx_in_flight) { return lost > loss_thresh * tx_in_flight; }

}  // namespace

void Bbr3::on_start(Nanoseconds now_ns) {
  min_rtt_stamp_ns_ = now_ns;
  probe_rtt_min_stamp_ns_ = now_ns;
  aggregation_.begin(now_ns);
}

void Bbr3::on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) {
  min_rtt_ns_ = probe_rtt_min_delay_ns_ = rtt_ns;
  min_rtt_stamp_ns_ = probe_rtt_min_stamp_ns_ = now_ns;
  begin_pacing(rtt_ns, startup_pacing_gain);
}

// HandleRestartFromIdle (5.4.1).
void Bbr3::on_transmit(const Transmission& packet) {
  if (packet.in_flight > 0 || !packet.is_app_limited) return;
  idle_restart_ = true;
  aggregation_.begin(packet.now_ns);
  if (is_in_probe_bw()) {
    set_pacing_rate(1.0);
  } else if (state_ == State::probe_rtt) {
    check_probe_rtt_done(packet.now_ns, delivered_);
  }
}

void Bbr3::on_ack(const AckSample& ack) {
  delivered_ = ack.delivered;
  if (ack.newly_delivered == 0) return;

  update_latest_delivery_signals(ack);
  update_congestion_signals(ack);
  update_ack_aggregation(ack);
  check_full_bandwidth_reached(ack);
  if (state_ == State::startup) resume_.on_ack(ack, cwnd_, rounds_);
  check_startup_done(ack);
  check_drain_done(ack);
  update_probe_bw_phase(ack);
  update_min_rtt(ack);
  check_probe_rtt(ack);
  advance_latest_delivery_signals(ack);
  bandwidth_ = std::min(max_bandwidth(), shortterm_.bandwidth);

  begin_pacing(ack.srtt_ns, startup_pacing_gain);  // InitPacingRate (5.6.2)
  if (bandwidth_ > 0.0) set_pacing_rate(pacing_gain());
  set_cwnd(ack);
  if (state_ == State::startup) probe_to_resume(default_cwnd_gain, bandwidth_, min_rtt_ns_);
}

// ---- Startup and Drain (5.3.1, 5.3.2)

void Bbr3::enter_drain() {
  state_ = State::drain;
  resume_.on_drain_begins();
  drain_start_round_ = rounds_.count();
}

void Bbr3::check_full_bandwidth_reached(const AckSample& ack) {
  if (!round_begins_ || is_app_limited(ack)) return;
  full_bandwidth_.note_round(ack.rate.delivery_rate);
  full_bandwidth_reached_ = full_bandwidth_reached_ || full_bandwidth_.is_reached();
}

void Bbr3::check_startup_done(const AckSample& ack) {
  if (state_ != State::startup) return;
  // The round that began with the first loss ends: fast recovery has lasted a round.
  if (is_startup_loss_high_ && ack.state == RecoveryState::recovery) {
    undo_.to = Undo::Return::startup;
    full_bandwidth_reached_ = true;
    inflight_longterm_ = std::max(bdp(bandwidth_), latest_inflight_);
  }
  if (full_bandwidth_reached_) enter_drain();
}

void Bbr3::check_drain_done(const AckSample& ack) {
  if (state_ != State::drain) return;
  if (static_cast<double>(ack.in_flight) <= inflight(bandwidth_, 1.0) ||
      rounds_.count() > drain_start_round_ + drain_rounds)
    enter_probe_bw_down(ack.now_ns, ack.delivered);
}

// ---- ProbeBW (5.3.3)

bool Bbr3::is_in_probe_bw() const {
  return state_ == State::probe_bw_down || state_ == State::probe_bw_cruise || state_ == State::probe_bw_refill ||
         state_ == State::probe_bw_up;
}

bool Bbr3::is_probing() const {
  return state_ == State::startup || state_ == State::probe_bw_refill || state_ == State::probe_bw_up;
}

void Bbr3::enter_probe_bw_down(Nanoseconds now_ns, std::int64_t delivered) {
  reset_congestion_signals();
  probe_up_acked_per_increment_ = unbounded;
  rounds_since_probe_up_ = uniform_() < 0.5 ? 0 : 1;
  probe_wait_ns_ = static_cast<Nanoseconds>(least_probe_wait_ns + uniform_() * random_probe_wait_ns);
  cycle_stamp_ns_ = now_ns;
  ack_phase_ = AckPhase::probe_stopping;
  rounds_.restart(delivered);
  state_ = State::probe_bw_down;
  resume_.on_drain_ends();
}

void Bbr3::enter_probe_bw_refill(std::int64_t delivered) {
  shortterm_ = {};
  probe_up_rounds_ = 0;
  probe_up_acked_ = 0.0;
  prev_probe_precautionary_ = false;
  ack_phase_ = AckPhase::refilling;
  rounds_.restart(delivered);
  state_ = State::probe_bw_refill;
}

void Bbr3::enter_probe_bw_up(const AckSample& ack) {
  ack_phase_ = AckPhase::probe_starting;
  rounds_.restart(ack.delivered);
  full_bandwidth_.restart(ack.rate.delivery_rate);
  state_ = State::probe_bw_up;
  raise_inflight_longterm_slope();
}

void Bbr3::update_probe_bw_phase(const AckSample& ack) {
  if (!full_bandwidth_reached_ || adapt_longterm_model(ack)) return;
  switch (state_) {
    case State::probe_bw_down:
      if (!is_time_to_probe(ack) && is_time_to_cruise(ack)) state_ = State::probe_bw_cruise;
      break;
    case State::probe_bw_cruise:
      is_time_to_probe(ack);
      break;
    case State::probe_bw_refill:
      if (round_begins_) {
        is_probe_sample_ = true;
        enter_probe_bw_up(ack);
      }
      break;
    case State::probe_bw_up:
      if (is_time_to_go_down(ack)) {
        prev_probe_too_high_ = false;
        enter_probe_bw_down(ack.now_ns, ack.delivered);
      }
      break;
    default:
      break;
  }
}

bool Bbr3::is_time_to_probe(const AckSample& ack) {
  const bool has_waited = ack.now_ns > cycle_stamp_ns_ + probe_wait_ns_;
  // At least as often as Reno would fill the same path (IsRenoCoexistenceProbeTime).
  const bool is_reno_time = static_cast<double>(rounds_since_probe_up_) >= std::min(target_inflight(), reno_rounds);
  if (!has_waited && !is_reno_time) return false;
  enter_probe_bw_refill(ack.delivered);
  return true;
}

bool Bbr3::is_time_to_cruise(const AckSample& ack) const {
  const double in_flight = static_cast<double>(ack.in_flight);
  return in_flight <= inflight_with_headroom() && in_flight <= inflight(max_bandwidth(), 1.0);
}

bool Bbr3::is_time_to_go_down(const AckSample& ack) {
  if (prev_probe_too_high_ && static_cast<double>(ack.in_flight) >= inflight_longterm_) {
    prev_probe_precautionary_ = true;
    return true;
  }
  if (ack.is_cwnd_limited && cwnd_ >= inflight_longterm_) {
    full_bandwidth_.restart(ack.rate.delivery_rate);  // the bound, not the path, limits the rate
    return false;
  }
  return full_bandwidth_.is_reached();
}

void Bbr3::raise_inflight_longterm_slope() {
  const double growth_this_round = static_cast<double>(std::int64_t{1} << probe_up_rounds_);
  probe_up_rounds_ = std::min(probe_up_rounds_ + 1, 30);
  probe_up_acked_per_increment_ = std::max(cwnd_ / growth_this_round, 1.0);
}

void Bbr3::probe_inflight_longterm_upward(const AckSample& ack) {
  if (!ack.is_cwnd_limited || cwnd_ < inflight_longterm_) return;
  probe_up_acked_ += static_cast<double>(ack.newly_delivered);
  if (probe_up_acked_ >= probe_up_acked_per_increment_) {
    const double increments = std::floor(probe_up_acked_ / probe_up_acked_per_increment_);
    probe_up_acked_ -= increments * probe_up_acked_per_increment_;
    inflight_longterm_ += increments;
  }
  if (round_begins_) raise_inflight_longterm_slope();
}

// Returns true if it has chosen the next phase.
bool Bbr3::adapt_longterm_model(const AckSample& ack) {
  if (ack_phase_ == AckPhase::probe_starting && round_begins_) ack_phase_ = AckPhase::probe_feedback;
  if (ack_phase_ == AckPhase::probe_stopping && round_begins_) {
    is_probe_sample_ = false;
    ack_phase_ = AckPhase::init;
    if (is_in_probe_bw() && !is_app_limited(ack)) ++cycle_count_;
    if (is_in_probe_bw() && prev_probe_precautionary_ && !prev_probe_too_high_) {
      enter_probe_bw_refill(ack.delivered);
      return true;
    }
  }
  const double lost = static_cast<double>(ack.rate.lost), tx_in_flight = static_cast<double>(ack.rate.tx_in_flight);
  if (inflight_longterm_ == unbounded || is_loss_too_high(lost, tx_in_flight)) return false;
  inflight_longterm_ = std::max(inflight_longterm_, tx_in_flight);
  if (state_ == State::probe_bw_up) probe_inflight_longterm_upward(ack);
  return false;
}

// ---- ProbeRTT (5.3.4)

void Bbr3::update_min_rtt(const AckSample& ack) {
  probe_rtt_expired_ = ack.now_ns > probe_rtt_min_stamp_ns_ + probe_rtt_interval_ns;
  if (ack.rtt_ns >= 0 && (ack.rtt_ns < probe_rtt_min_delay_ns_ || probe_rtt_expired_)) {
    probe_rtt_min_delay_ns_ = ack.rtt_ns;
    probe_rtt_min_stamp_ns_ = ack.now_ns;
  }
  const bool min_rtt_expired = ack.now_ns > min_rtt_stamp_ns_ + min_rtt_filter_ns;
  if (probe_rtt_min_delay_ns_ < min_rtt_ns_ || min_rtt_expired) {
    min_rtt_ns_ = probe_rtt_min_delay_ns_;
    min_rtt_stamp_ns_ = probe_rtt_min_stamp_ns_;
  }
}

void Bbr3::check_probe_rtt(const AckSample& ack) {
  if (state_ != State::probe_rtt && probe_rtt_expired_ && !idle_restart_) {
    save_cwnd(false);
    state_ = State::probe_rtt;
    probe_rtt_done_ns_ = never;
    ack_phase_ = AckPhase::probe_stopping;
    rounds_.restart(ack.delivered);
  }
  if (state_ == State::probe_rtt) handle_probe_rtt(ack);
  if (ack.rate.delivered > 0) idle_restart_ = false;
}

void Bbr3::handle_probe_rtt(const AckSample& ack) {
  held_back_.mark(ack.delivered, ack.in_flight);
  if (probe_rtt_done_ns_ == never) {
    if (static_cast<double>(ack.in_flight) > probe_rtt_cwnd()) return;
    probe_rtt_done_ns_ = ack.now_ns + probe_rtt_duration_ns;
    probe_rtt_round_done_ = false;
    rounds_.restart(ack.delivered);
    return;
  }
  probe_rtt_round_done_ = probe_rtt_round_done_ || round_begins_;
  if (probe_rtt_round_done_) check_probe_rtt_done(ack.now_ns, ack.delivered);
}

void Bbr3::check_probe_rtt_done(Nanoseconds now_ns, std::int64_t delivered) {
  if (probe_rtt_done_ns_ == never || now_ns <= probe_rtt_done_ns_) return;
  probe_rtt_min_stamp_ns_ = now_ns;
  restore_cwnd();
  shortterm_ = {};
  if (full_bandwidth_reached_) {
    enter_probe_bw_down(now_ns, delivered);
    state_ = State::probe_bw_cruise;
  } else {
    enter_startup();
  }
}

// ---- model (5.5)

void Bbr3::update_latest_delivery_signals(const AckSample& ack) {
  loss_round_begins_ = false;
  latest_bandwidth_ = std::max(latest_bandwidth_, ack.rate.delivery_rate);
  latest_inflight_ = std::max(latest_inflight_, static_cast<double>(ack.rate.delivered));
  if (ack.rate.prior_delivered >= loss_round_delivered_) {
    loss_round_delivered_ = ack.delivered;
    loss_round_begins_ = true;
  }
}

void Bbr3::update_congestion_signals(const AckSample& ack) {
  round_begins_ = rounds_.advance(ack.rate.prior_delivered, ack.delivered);
  if (round_begins_) ++rounds_since_probe_up_;
  update_max_bandwidth(ack, cycle_count_, max_bandwidth_cycles);

  is_startup_loss_high_ = false;
  if (!loss_round_begins_) return;
  const double lost = static_cast<double>(ack.rate.lost), tx_in_flight = static_cast<double>(ack.rate.tx_in_flight);
  is_startup_loss_high_ = lost_ranges_in_round_ >= startup_full_loss_ranges && is_loss_too_high(lost, tx_in_flight);
  if (is_loss_in_round_ && !is_probing()) adapt_lower_bounds();
  is_loss_in_round_ = false;
  lost_ranges_in_round_ = 0;
}

void Bbr3::adapt_lower_bounds() {
  if (shortterm_.bandwidth == unbounded) shortterm_.bandwidth = max_bandwidth();
  if (shortterm_.inflight == unbounded) shortterm_.inflight = cwnd_;
  shortterm_.bandwidth = std::max(latest_bandwidth_, beta * shortterm_.bandwidth);
  shortterm_.inflight = std::max(latest_inflight_, beta * shortterm_.inflight);
}

void Bbr3::advance_latest_delivery_signals(const AckSample& ack) {
  if (!loss_round_begins_) return;
  latest_bandwidth_ = ack.rate.delivery_rate;
  latest_inflight_ = static_cast<double>(ack.rate.delivered);
}

void Bbr3::reset_congestion_signals() {
  is_loss_in_round_ = false;
  lost_ranges_in_round_ = 0;
  latest_bandwidth_ = 0.0;
  latest_inflight_ = 0.0;
}

void Bbr3::update_ack_aggregation(const AckSample& ack) {
  aggregation_.update(ack.now_ns, bandwidth_, static_cast<double>(ack.newly_delivered), cwnd_, rounds_.count(),
                          full_bandwidth_reached_ ? extra_acked_rounds : 1);
}

// HandleLostPacket and NoteLoss (5.5.10.2).
void Bbr3::on_lost(const LostPacket& packet) {
  if (!is_loss_in_round_) loss_round_delivered_ = packet.delivered;
  is_loss_in_round_ = true;
  save_state_upon_loss();
  if (packet.packet != last_lost_packet_ + 1) ++lost_ranges_in_round_;
  last_lost_packet_ = packet.packet;

  if (!is_probe_sample_) return;
  const double tx_in_flight = static_cast<double>(packet.tx_in_flight);
  const double lost = static_cast<double>(packet.lost_since_sent);
  if (!is_loss_too_high(lost, tx_in_flight)) return;
  // The flight at which the losses crossed the threshold, somewhere within this packet.
  const double in_flight_before = tx_in_flight - 1.0;
  const double lost_before = lost - 1.0;
  const double lost_prefix = (loss_thresh * in_flight_before - lost_before) / (1.0 - loss_thresh);
  handle_inflight_too_high(in_flight_before + lost_prefix, packet.is_app_limited, packet.now_ns, packet.delivered);
}

void Bbr3::handle_inflight_too_high(double tx_in_flight, bool is_app_limited, Nanoseconds now_ns,
                                    std::int64_t delivered) {
  prev_probe_too_high_ = true;
  is_probe_sample_ = false;
  if (!is_app_limited) inflight_longterm_ = std::max(tx_in_flight, beta * target_inflight());
  if (state_ != State::probe_bw_up) return;
  undo_.to = Undo::Return::probe_bw_up;
  enter_probe_bw_down(now_ns, delivered);
}

// SaveStateUponLoss (5.5.11.1), once for each episode. The draft saves at each first loss of a round, so it would save
// a state that the response to the episode's first losses has already reduced.
void Bbr3::save_state_upon_loss() {
  if (undo_.is_saved) return;
  save_cwnd(state_ == State::probe_rtt);
  undo_ = {true, Undo::Return::none, shortterm_, inflight_longterm_};
}

// HandleSpuriousLossDetection (5.5.11.2).
void Bbr3::on_undo(Nanoseconds, RecoveryState) {
  recovery_ = RecoveryState::open;
  restore_cwnd();
  is_loss_in_round_ = false;
  full_bandwidth_.restart(0.0);
  shortterm_.bandwidth = std::max(shortterm_.bandwidth, undo_.shortterm.bandwidth);
  shortterm_.inflight = std::max(shortterm_.inflight, undo_.shortterm.inflight);
  inflight_longterm_ = std::max(inflight_longterm_, undo_.inflight_longterm);
  if (undo_.to == Undo::Return::startup && state_ != State::startup) {
    full_bandwidth_reached_ = false;
    if (state_ != State::probe_rtt) enter_startup();
  } else if (undo_.to == Undo::Return::probe_bw_up && state_ != State::probe_bw_up && state_ != State::probe_rtt) {
    enter_probe_bw_refill(delivered_);
  }
  undo_ = {};
}

// ---- control (5.6)

double Bbr3::pacing_gain() const {
  switch (state_) {
    case State::startup:
      return startup_pacing_gain;
    case State::drain:
      return drain_pacing_gain;
    case State::probe_bw_down:
      return down_pacing_gain;
    case State::probe_bw_up:
      return up_pacing_gain;
    default:
      return 1.0;
  }
}

double Bbr3::cwnd_gain() const {
  if (state_ == State::probe_bw_up) return up_cwnd_gain;
  return state_ == State::probe_rtt ? probe_rtt_cwnd_gain : default_cwnd_gain;
}

double Bbr3::bdp(double bandwidth) const {
  return min_rtt_ns_ == never ? initial_window_ : bandwidth * to_seconds(min_rtt_ns_);
}

double Bbr3::with_quantization_budget(double inflight) const {
  const double quantum = std::max(std::min(pacing_rate_ * 1e-3, 65536.0 / packet_bytes_), 2.0);
  const double budgeted = std::max({inflight, 3.0 * quantum, min_pipe_cwnd});
  return state_ == State::probe_bw_up ? budgeted + 2.0 : budgeted;
}

double Bbr3::inflight(double bandwidth, double gain) const {
  if (min_rtt_ns_ == never) return with_quantization_budget(initial_window_);
  return with_quantization_budget(gain * bdp(bandwidth));
}

double Bbr3::inflight_with_headroom() const {
  if (inflight_longterm_ == unbounded) return unbounded;
  return std::max(inflight_longterm_ - std::max(1.0, headroom * inflight_longterm_), min_pipe_cwnd);
}

double Bbr3::target_inflight() const { return std::min(bdp(bandwidth_), cwnd_); }

double Bbr3::probe_rtt_cwnd() const { return std::max(probe_rtt_cwnd_gain * bdp(bandwidth_), min_pipe_cwnd); }

void Bbr3::set_pacing_rate(double gain) {
  const double rate = gain * bandwidth_ * (1.0 - pacing_margin);
  if (full_bandwidth_reached_ || rate > pacing_rate_) pacing_rate_ = rate;
}

void Bbr3::set_cwnd(const AckSample& ack) {
  const double newly_acked = static_cast<double>(ack.newly_delivered);
  const double base = min_rtt_ns_ == never ? initial_window_ : cwnd_gain() * bdp(bandwidth_);
  const double max_inflight = with_quantization_budget(base + aggregation_.extra());
  if (full_bandwidth_reached_) {
    cwnd_ = std::min(cwnd_ + newly_acked, max_inflight);
  } else if (cwnd_ < max_inflight || static_cast<double>(ack.delivered) < initial_window_) {
    cwnd_ += newly_acked;
  }
  cwnd_ = std::max(cwnd_, min_pipe_cwnd);
  if (state_ == State::probe_rtt) cwnd_ = std::min(cwnd_, probe_rtt_cwnd());
  bound_cwnd_for_model();
}

void Bbr3::bound_cwnd_for_model() {
  double cap = unbounded;
  if (state_ == State::probe_rtt || state_ == State::probe_bw_cruise) {
    cap = inflight_with_headroom();
  } else if (is_in_probe_bw()) {
    cap = inflight_longterm_;
  }
  cap = std::max(std::min(cap, shortterm_.inflight), min_pipe_cwnd);
  cwnd_ = std::min(cwnd_, cap);
}

// The response to losses is in the model (5.5.10), not in the window (5.6.4.4).
void Bbr3::on_enter_recovery(const CongestionEvent&) {
  if (resume_.on_congestion()) full_bandwidth_reached_ = true;
  save_state_upon_loss();
  recovery_ = RecoveryState::recovery;
}

void Bbr3::on_timeout(const CongestionEvent&) {
  if (resume_.on_congestion()) full_bandwidth_reached_ = true;
  save_state_upon_loss();
  recovery_ = RecoveryState::loss;
  cwnd_ = 1.0;
}

void Bbr3::on_exit_recovery(Nanoseconds, RecoveryState) {
  recovery_ = RecoveryState::open;
  undo_.is_saved = false;
  restore_cwnd();
}

}  // namespace clift::tcp
