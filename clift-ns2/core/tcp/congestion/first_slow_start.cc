#include "core/tcp/congestion/first_slow_start.h"

namespace clift::tcp {

namespace {

// L of HyStart++ for a sender that does not pace.
constexpr double hystart_most_per_ack = 8.0;

}  // namespace

FirstSlowStart::FirstSlowStart(SlowStart kind) : kind_(kind), hystart_(hystart_most_per_ack) {}

void FirstSlowStart::on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) { search_.begin(now_ns, rtt_ns); }

double FirstSlowStart::growth(double acked) const { return kind_ == SlowStart::hystart ? hystart_.growth(acked) : acked; }

std::optional<double> FirstSlowStart::end(const AckSample& ack, double cwnd) {
  if (kind_ == SlowStart::hystart && ack.newly_acked > 0) {
    // A round ends with the acknowledgement of the segment that was SND.NXT when it began.
    const bool round_begins = ack.snd_una > round_end_;
    if (round_begins) round_end_ = ack.snd_nxt;
    hystart_.on_ack(round_begins, ack.rtt_ns < 0 ? std::nullopt : std::optional(ack.rtt_ns));
    if (hystart_.done()) return cwnd;
  } else if (kind_ == SlowStart::search && ack.rate.is_app_limited) {
    search_.restart(ack.now_ns);
  } else if (kind_ == SlowStart::search) {
    const Nanoseconds rtt_ns = ack.rtt_ns < 0 ? ack.srtt_ns : ack.rtt_ns;
    const std::optional<double> overshoot = search_.on_ack(ack.now_ns, rtt_ns, ack.newly_delivered);
    if (overshoot) return cwnd - *overshoot;
  }
  return std::nullopt;
}

}  // namespace clift::tcp
