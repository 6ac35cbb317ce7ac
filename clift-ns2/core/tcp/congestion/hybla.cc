#include "core/tcp/congestion/hybla.h"

#include <algorithm>
#include <cmath>

namespace clift::tcp {

namespace {

constexpr double rtt0_ns = 25e6;
// Faster than window over RTT, so that the window stays the limit: Linux documents this for senders with a window.
constexpr double slow_start_pacing = 2.0;
constexpr double avoidance_pacing = 1.2;
// 2^rho of a path of 775 ms; more than any window holds.
constexpr double most_doublings = 31.0;

}  // namespace

void Hybla::on_ack(const AckSample& ack) {
  if (ack.min_rtt_ns != never) rho_ = std::max(1.0, static_cast<double>(ack.min_rtt_ns) / rtt0_ns);
  if (first_ack_count_ < first_acks_.size() && ack.newly_delivered > 0) estimate_ssthresh(ack);
  Reno::on_ack(ack);
  if (ack.srtt_ns > 0) {
    const double window_rate = cwnd_ / to_seconds(ack.srtt_ns);
    pacing_rate_ = (in_slow_start() ? slow_start_pacing : avoidance_pacing) * window_rate;
  }
}

// Hoe's estimate (SIGCOMM 1996), a part of the paper's Hybla. The first packets leave together, so the spacing of their
// acknowledgements shows the bottleneck's rate. The slope of the least-squares line through three of them times the RTT
// is ssthresh.
void Hybla::estimate_ssthresh(const AckSample& ack) {
  first_acks_[first_ack_count_++] = {ack.now_ns, ack.delivered};
  if (first_ack_count_ < first_acks_.size() || ssthresh_ != infinite_ssthresh) return;
  double mean_s = 0.0, mean_delivered = 0.0;
  const auto since_first_s = [&](const Arrival& a) {
    return to_seconds(a.time_ns - first_acks_[0].time_ns);
  };
  for (const Arrival& a : first_acks_) {
    mean_s += since_first_s(a) / 3.0;
    mean_delivered += static_cast<double>(a.delivered) / 3.0;
  }
  double covariance = 0.0, variance = 0.0;
  for (const Arrival& a : first_acks_) {
    covariance += (since_first_s(a) - mean_s) * (static_cast<double>(a.delivered) - mean_delivered);
    variance += (since_first_s(a) - mean_s) * (since_first_s(a) - mean_s);
  }
  if (variance <= 0.0 || ack.min_rtt_ns == never) return;
  const double packets = covariance / variance * to_seconds(ack.min_rtt_ns);
  ssthresh_ = static_cast<std::int64_t>(std::clamp(packets, 2.0, static_cast<double>(infinite_ssthresh - 1)));
}

// Half the flight (RFC 5681, equation 4), not half the window: one ACK may have raised the window far beyond the
// flight.
std::int64_t Hybla::reduced_ssthresh(const CongestionEvent& event) {
  return static_cast<std::int64_t>(std::min(cwnd_, static_cast<double>(event.in_flight)) / 2.0);
}

std::int64_t Hybla::slow_start(std::int64_t acked, const AckSample& ack) {
  // Before the estimate exists, the window grows like Reno's: Hybla's first ACK alone would fill any queue. As in
  // Linux, it also grows like Reno's while packets are missing.
  if (first_ack_count_ < first_acks_.size() || ack.state != RecoveryState::open) return Reno::slow_start(acked, ack);
  const double growth = std::exp2(std::min(rho_, most_doublings)) - 1.0;
  const double room = static_cast<double>(ssthresh_) - cwnd_;
  const std::int64_t used = std::min(acked, static_cast<std::int64_t>(std::ceil(room / growth)));
  cwnd_ = std::min(cwnd_ + static_cast<double>(used) * growth, static_cast<double>(ssthresh_));
  return acked - used;
}

void Hybla::avoid_congestion(std::int64_t acked, const AckSample& ack) {
  if (ack.state != RecoveryState::open) return Reno::avoid_congestion(acked, ack);
  cwnd_ += static_cast<double>(acked) * rho_ * rho_ / cwnd_;
}

}  // namespace clift::tcp
