#include "core/tcp/congestion/reconnaissance.h"

namespace clift::tcp {

std::optional<double> Reconnaissance::on_ack(const AckSample& ack, double cwnd) {
  if (is_over_) return std::nullopt;
  if (first_ < 0) first_ = ack.snd_una - ack.newly_acked;
  const bool has_initial_data = ack.snd_una >= first_ + initial_window_;
  // An application that sends less than the window allows could not validate a larger one.
  if (!has_initial_data || !ack.is_cwnd_limited || ack.state != RecoveryState::open) return std::nullopt;
  is_over_ = true;
  const double jump = saved_.window / 2.0;
  if (ack.now_ns >= saved_.expiry_ns || !fits(ack.min_rtt_ns) || jump <= cwnd) return std::nullopt;
  return jump;
}

}  // namespace clift::tcp
