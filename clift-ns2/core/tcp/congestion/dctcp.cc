#include "core/tcp/congestion/dctcp.h"

#include <algorithm>

namespace clift::tcp {

namespace {

constexpr double alpha_gain = 1.0 / 16.0;  // weight of a window (section 4.2)
constexpr double least_marked_cwnd = 2.0;

}  // namespace

void Dctcp::on_ack(const AckSample& ack) {
  delivered_ += ack.newly_delivered;
  marked_ += ack.newly_marked;
  if (ack.snd_una > window_end_ && delivered_ > 0 && ack.now_ns - window_begin_ns_ >= least_round_ns()) {
    on_window_end(std::min(1.0, static_cast<double>(marked_) / static_cast<double>(delivered_)));
    window_end_ = ack.snd_nxt;
    window_begin_ns_ = ack.now_ns;
    delivered_ = marked_ = 0;
  }
  Reno::on_ack(ack);
}

void Dctcp::on_window_end(double marked) { alpha_ += alpha_gain * (marked - alpha_); }

std::int64_t Dctcp::reduced_ssthresh(const CongestionEvent& event) {
  return event.is_mark ? static_cast<std::int64_t>(cwnd_ * (1.0 - alpha_ / 2.0)) : Reno::reduced_ssthresh(event);
}

// RFC 8257 counts bytes: a reduction may be less than a packet.
void Dctcp::on_enter_recovery(const CongestionEvent& event) {
  Reno::on_enter_recovery(event);
  reduced_cwnd_ = event.is_mark ? std::max(least_marked_cwnd, cwnd_ * (1.0 - alpha_ / 2.0)) : 0.0;
}

void Dctcp::on_exit_recovery(Nanoseconds now_ns, RecoveryState from) {
  Reno::on_exit_recovery(now_ns, from);
  if (reduced_cwnd_ > 0.0) cwnd_ = reduced_cwnd_;
  reduced_cwnd_ = 0.0;
}

}  // namespace clift::tcp
