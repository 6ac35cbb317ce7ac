#include "core/tcp/congestion/westwood.h"

namespace clift::tcp {

namespace {

constexpr double filter_pole = 0.9;  // alpha of the paper's low-pass filter

}  // namespace

// One sample in each RTT: the packets delivered in it, in order or not, over its duration.
void Westwood::on_ack(const AckSample& ack) {
  sample_delivered_ += ack.newly_delivered;
  const Nanoseconds elapsed_ns = ack.now_ns - sample_start_ns_;
  if (ack.srtt_ns > 0 && elapsed_ns >= ack.srtt_ns) {
    const double sample = static_cast<double>(sample_delivered_) / to_seconds(elapsed_ns);
    bandwidth_ = bandwidth_ == 0.0 ? sample : filter_pole * bandwidth_ + (1.0 - filter_pole) * sample;
    sample_start_ns_ = ack.now_ns;
    sample_delivered_ = 0;
  }
  Reno::on_ack(ack);
}

std::int64_t Westwood::reduced_ssthresh(const CongestionEvent& event) {
  if (bandwidth_ == 0.0 || event.min_rtt_ns == never) return Reno::reduced_ssthresh(event);
  return static_cast<std::int64_t>(bandwidth_ * to_seconds(event.min_rtt_ns));
}

}  // namespace clift::tcp
