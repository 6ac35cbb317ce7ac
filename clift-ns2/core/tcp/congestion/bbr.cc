#include "core/tcp/congestion/bbr.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace clift::tcp {

namespace {

constexpr double high_gain = 2.885390081777927;  // 2 / ln 2
constexpr std::array<double, 8> pacing_gain_cycle = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
constexpr double probe_bw_cwnd_gain = 2.0;
constexpr std::int64_t bandwidth_filter_rounds = 10;
constexpr Nanoseconds rtprop_filter_ns = 10'000'000'000;
constexpr Nanoseconds probe_rtt_duration_ns = 200'000'000;
constexpr double min_pipe_cwnd = 4.0;
constexpr double pacing_margin = 0.99;
constexpr std::int64_t aggregation_filter_rounds = 10;
constexpr double most_aggregation_s = 0.1;

}  // namespace

Bbr::Bbr(const ControlParameters& parameters) : BbrBase(parameters) { enter_startup(); }

void Bbr::on_start(Nanoseconds now_ns) {
  rtprop_stamp_ns_ = now_ns;
  aggregation_.begin(now_ns);
}

void Bbr::on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) {
  rtprop_ns_ = rtt_ns;
  rtprop_stamp_ns_ = now_ns;
  begin_pacing(rtt_ns, pacing_margin * high_gain);
}

void Bbr::on_transmit(const Transmission& packet) {
  if (packet.in_flight > 0 || !packet.is_app_limited) return;
  idle_restart_ = true;
  aggregation_.begin(packet.now_ns);
  if (state_ == State::probe_bw) set_pacing_rate(1.0);
}

void Bbr::on_lost(const LostPacket&) { ++lost_since_ack_; }

void Bbr::on_ack(const AckSample& ack) {
  round_begins_ = false;
  if (ack.newly_delivered > 0) {
    update_bandwidth(ack);
    update_aggregation(ack);
    check_cycle_phase(ack);
    check_full_pipe(ack);
  }
  if (state_ == State::startup) resume_.on_ack(ack, cwnd_, rounds_);
  check_drain(ack);
  update_rtprop(ack);
  check_probe_rtt(ack);

  begin_pacing(ack.srtt_ns, pacing_margin * high_gain);
  if (max_bandwidth() > 0.0) set_pacing_rate(pacing_gain_);
  set_cwnd(ack);
  if (state_ == State::startup) probe_to_resume(cwnd_gain_, max_bandwidth(), rtprop_ns_);
  lost_since_ack_ = 0;
}

// ---- model (section 4.1)

void Bbr::update_bandwidth(const AckSample& ack) {
  round_begins_ = rounds_.advance(ack.rate.prior_delivered, ack.delivered);
  update_max_bandwidth(ack, rounds_.count(), bandwidth_filter_rounds);
}

void Bbr::update_aggregation(const AckSample& ack) {
  if (ack.rate.interval_ns <= 0) return;
  aggregation_.update(ack.now_ns, max_bandwidth(), static_cast<double>(ack.newly_delivered), cwnd_,
                      rounds_.count(), aggregation_filter_rounds);
}

void Bbr::update_rtprop(const AckSample& ack) {
  rtprop_expired_ = ack.now_ns > rtprop_stamp_ns_ + rtprop_filter_ns;
  if (ack.rtt_ns < 0 || (ack.rtt_ns > rtprop_ns_ && !rtprop_expired_)) return;
  rtprop_ns_ = ack.rtt_ns;
  rtprop_stamp_ns_ = ack.now_ns;
}

// The bandwidth-delay product times a gain.
double Bbr::bdp(double gain) const {
  if (rtprop_ns_ == never || max_bandwidth() == 0.0) return initial_window_;
  return std::ceil(gain * max_bandwidth() * to_seconds(rtprop_ns_));
}

// Adds the packets that end hosts hold (section 4.2.3.2), with quanta as in section 4.2.2; an even number. Adds two
// packets more while BBR probes for bandwidth, as in Linux.
double Bbr::with_quanta(double packets) const {
  double quantum = 1.0;
  const double packet_bits = 8.0 * packet_bytes_, bit_rate = pacing_rate_ * packet_bits;
  if (bit_rate >= 24e6) {
    quantum = std::max(1.0, std::floor(std::min(bit_rate * 1e-3, 8.0 * 65536.0) / packet_bits));
  } else if (bit_rate >= 1.2e6) {
    quantum = 2.0;
  }
  const double even = 2.0 * std::ceil((packets + 3.0 * quantum) / 2.0);
  return state_ == State::probe_bw && cycle_index_ == 0 ? even + 2.0 : even;
}

// ---- state machine (section 4.3)

void Bbr::enter_startup() {
  state_ = State::startup;
  pacing_gain_ = high_gain;
  cwnd_gain_ = high_gain;
}

void Bbr::check_full_pipe(const AckSample& ack) {
  if (round_begins_ && !is_app_limited(ack)) full_pipe_.note_round(max_bandwidth());
}

void Bbr::check_drain(const AckSample& ack) {
  if (state_ == State::startup && full_pipe_.is_reached()) {
    state_ = State::drain;
    resume_.on_drain_begins();
    pacing_gain_ = 1.0 / high_gain;
    cwnd_gain_ = high_gain;
  }
  if (state_ == State::drain && static_cast<double>(ack.in_flight) <= inflight(1.0)) enter_probe_bw(ack.now_ns);
}

void Bbr::enter_probe_bw(Nanoseconds now_ns) {
  state_ = State::probe_bw;
  resume_.on_drain_ends();
  cwnd_gain_ = probe_bw_cwnd_gain;
  // The cycle may start in any phase but that of 3/4.
  const std::size_t phases = pacing_gain_cycle.size();
  cycle_index_ = phases - 1 - static_cast<std::size_t>(uniform_() * static_cast<double>(phases - 1));
  advance_cycle(now_ns);
}

void Bbr::advance_cycle(Nanoseconds now_ns) {
  cycle_stamp_ns_ = now_ns;
  cycle_index_ = (cycle_index_ + 1) % pacing_gain_cycle.size();
  pacing_gain_ = pacing_gain_cycle[cycle_index_];
}

void Bbr::check_cycle_phase(const AckSample& ack) {
  if (state_ != State::probe_bw) return;
  const bool full_length = ack.now_ns - cycle_stamp_ns_ > rtprop_ns_;
  const double prior_in_flight = static_cast<double>(ack.prior_in_flight);
  bool is_over = full_length;
  if (pacing_gain_ > 1.0) {
    is_over = full_length && (lost_since_ack_ > 0 || prior_in_flight >= inflight(pacing_gain_));
  } else if (pacing_gain_ < 1.0) {
    is_over = full_length || prior_in_flight <= inflight(1.0);
  }
  if (is_over) advance_cycle(ack.now_ns);
}

void Bbr::check_probe_rtt(const AckSample& ack) {
  if (state_ != State::probe_rtt && rtprop_expired_ && !idle_restart_) {
    save_cwnd(false);
    state_ = State::probe_rtt;
    pacing_gain_ = 1.0;
    cwnd_gain_ = 1.0;
    probe_rtt_done_ns_ = never;
  }
  if (state_ == State::probe_rtt) {
    held_back_.mark(ack.delivered, ack.in_flight);  // low rates of this state do not count
    if (probe_rtt_done_ns_ == never) {
      if (static_cast<double>(ack.in_flight) <= min_pipe_cwnd) {
        probe_rtt_done_ns_ = ack.now_ns + probe_rtt_duration_ns;
        probe_rtt_round_done_ = false;
        rounds_.restart(ack.delivered);
      }
    } else {
      if (round_begins_) probe_rtt_round_done_ = true;
      if (probe_rtt_round_done_ && ack.now_ns > probe_rtt_done_ns_) {
        rtprop_stamp_ns_ = ack.now_ns;
        restore_cwnd();
        if (full_pipe_.is_reached()) {
          enter_probe_bw(ack.now_ns);
        } else {
          enter_startup();
        }
      }
    }
  }
  if (ack.newly_delivered > 0) idle_restart_ = false;
}

// ---- control (section 4.2)

void Bbr::set_pacing_rate(double gain) {
  const double rate = pacing_margin * gain * max_bandwidth();
  if (full_pipe_.is_reached() || rate > pacing_rate_) pacing_rate_ = rate;
}

void Bbr::set_cwnd(const AckSample& ack) {
  const double delivered = static_cast<double>(ack.newly_delivered);
  if (recovery_ == RecoveryState::recovery) {
    cwnd_ = std::max(cwnd_ - static_cast<double>(lost_since_ack_), 1.0);
    if (packet_conservation_ && ack.newly_delivered > 0 &&
        recovery_rounds_.advance(ack.rate.prior_delivered, ack.delivered))
      packet_conservation_ = false;
    if (packet_conservation_) cwnd_ = std::max(cwnd_, static_cast<double>(ack.in_flight) + delivered);
  }
  if (!packet_conservation_) {
    double target = bdp(cwnd_gain_);
    if (full_pipe_.is_reached()) {
      target += std::floor(std::min(aggregation_.extra(), most_aggregation_s * max_bandwidth()));
    }
    target = with_quanta(target);
    if (full_pipe_.is_reached()) {
      cwnd_ = std::min(cwnd_ + delivered, target);
    } else if (cwnd_ < target || static_cast<double>(ack.delivered) < initial_window_) {
      cwnd_ += delivered;
    }
    cwnd_ = std::max(cwnd_, min_pipe_cwnd);
  }
  if (state_ == State::probe_rtt) cwnd_ = std::min(cwnd_, min_pipe_cwnd);
}

void Bbr::on_enter_recovery(const CongestionEvent& event) {
  if (resume_.on_congestion()) full_pipe_.reach();
  save_cwnd(state_ == State::probe_rtt);
  recovery_ = RecoveryState::recovery;
  packet_conservation_ = true;
  recovery_rounds_.restart(event.delivered);
  // The flight, and one packet for the retransmission; then the current ACK adds the packets that it delivers.
  cwnd_ = std::max(static_cast<double>(event.in_flight - lost_since_ack_), 0.0) + 1.0;
  lost_since_ack_ = 0;
}

void Bbr::on_timeout(const CongestionEvent&) {
  if (resume_.on_congestion()) full_pipe_.reach();
  save_cwnd(state_ == State::probe_rtt);
  recovery_ = RecoveryState::loss;
  packet_conservation_ = false;
  lost_since_ack_ = 0;
  cwnd_ = 1.0;
}

void Bbr::on_exit_recovery(Nanoseconds, RecoveryState) {
  recovery_ = RecoveryState::open;
  packet_conservation_ = false;
  restore_cwnd();
}

void Bbr::on_undo(Nanoseconds now_ns, RecoveryState from) { on_exit_recovery(now_ns, from); }

}  // namespace clift::tcp
