#include "core/tcp/congestion/prague.h"

#include <algorithm>

namespace clift::tcp {

namespace {

constexpr Nanoseconds reference_rtt_ns = 25'000'000;
constexpr std::int64_t dependent_rounds = 500;
constexpr double prague_start_pacing = 2.0;

}  // namespace

// Alpha and window change once in a round, or in the reference RTT if that is longer.
Nanoseconds Prague::least_round_ns() const {
  return !in_slow_start() && rounds_ >= dependent_rounds ? reference_rtt_ns : 0;
}

void Prague::on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) {
  Dctcp::on_established(now_ns, rtt_ns);
  pace(rtt_ns, 0.0);
}

void Prague::on_ack(const AckSample& ack) {
  has_seen_mark_ = has_seen_mark_ || ack.newly_marked > 0;
  Dctcp::on_ack(ack);
  pace(ack.srtt_ns, static_cast<double>(ack.in_flight));
}

void Prague::on_window_end(double marked) {
  if (!in_slow_start()) ++rounds_;
  if (has_seen_mark_) Dctcp::on_window_end(marked);
}

// The rate then grows by a packet per reference RTT in each reference RTT.
void Prague::avoid_congestion(std::int64_t acked, const AckSample& ack) {
  const Nanoseconds round_ns = std::max(ack.srtt_ns, least_round_ns());
  const double share = round_ns > 0 ? static_cast<double>(ack.srtt_ns) / static_cast<double>(round_ns) : 1.0;
  cwnd_ += share * share * static_cast<double>(acked) / cwnd_;
}

void Prague::pace(Nanoseconds srtt_ns, double in_flight) {
  if (srtt_ns <= 0) return;
  const double gain = cwnd_ < static_cast<double>(ssthresh_) / 2.0 ? prague_start_pacing : 1.0;
  pacing_rate_ = gain * std::max(cwnd_, in_flight) / to_seconds(srtt_ns);
}

}  // namespace clift::tcp
