#include "core/tcp/congestion/compound.h"

#include <algorithm>
#include <cmath>

namespace clift::tcp {

namespace {

constexpr double alpha = 0.125, beta = 0.5, eta = 1.0, k = 0.75;  // section 3 of the draft
constexpr double low_window = 38.0;                               // section 6
constexpr double gamma_low = 5.0, gamma_high = 30.0;              // section 5
constexpr double lambda = 0.8;                                    // weight of a new gamma; the draft names no value

}  // namespace

void Compound::on_ack(const AckSample& ack) {
  WindowBased::on_ack(ack);
  // No samples of the round-trip time and no change of the delay window while losses are repaired (section 6).
  const bool repairing = ack.state == RecoveryState::recovery || ack.state == RecoveryState::loss;
  if (!repairing && ack.rtt_ns >= 0) base_rtt_ns_ = std::min(base_rtt_ns_, ack.rtt_ns);
  if (ack.snd_una <= round_end_) return;
  round_end_ = ack.snd_nxt;
  if (!repairing && !in_slow_start() && base_rtt_ns_ != never && ack.srtt_ns > 0) end_round(ack);
}

void Compound::avoid_congestion(std::int64_t acked, const AckSample&) {
  cwnd_ += static_cast<double>(acked) / cwnd_;  // equation 2: cwnd_ is the sum of both windows
}

// Equations 3 and 4. The draft prints dwnd^k, which could never leave 0. The paper has the whole window, as have the
// response function and the table that follow.
void Compound::end_round(const AckSample& ack) {
  const double srtt_ns = static_cast<double>(std::max(ack.srtt_ns, base_rtt_ns_));
  const double queued_share = 1.0 - static_cast<double>(base_rtt_ns_) / srtt_ns;
  const double diff = cwnd_ * queued_share;
  diff_reno_ = (cwnd_ - dwnd_) * queued_share;

  double change = 0.0;
  if (diff >= gamma_) {
    change = -std::min(eta * diff, dwnd_);
  } else if (cwnd_ >= low_window && ack.is_cwnd_limited) {
    change = std::max(alpha * std::pow(cwnd_, k) - 1.0, 0.0);
  }
  dwnd_ += change;
  cwnd_ += change;
}

std::int64_t Compound::reduced_ssthresh(const CongestionEvent&) {
  if (diff_reno_) {
    gamma_ = std::clamp((1.0 - lambda) * gamma_ + lambda * 0.75 * *diff_reno_, gamma_low, gamma_high);
    diff_reno_.reset();
  }
  prior_dwnd_ = dwnd_;
  const double reno = (cwnd_ - dwnd_) / 2.0;
  dwnd_ = std::max(cwnd_ * (1.0 - beta) - reno, 0.0);  // equation 5 as the paper has it
  return static_cast<std::int64_t>(reno + dwnd_);
}

void Compound::on_timeout(const CongestionEvent& event) {
  WindowBased::on_timeout(event);
  dwnd_ = 0.0;
  base_rtt_ns_ = never;
}

void Compound::on_undo(Nanoseconds now_ns, RecoveryState from) {
  WindowBased::on_undo(now_ns, from);
  dwnd_ = std::min(std::max(dwnd_, prior_dwnd_), cwnd_);
}

}  // namespace clift::tcp
