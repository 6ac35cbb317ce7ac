#include "core/tcp/congestion/hystart.h"

#include <algorithm>

namespace clift::tcp {

namespace {

// RFC 9406, section 4.3.
constexpr Nanoseconds min_rtt_thresh_ns = 4'000'000;
constexpr Nanoseconds max_rtt_thresh_ns = 16'000'000;
constexpr int min_rtt_divisor = 8;
constexpr int n_rtt_sample = 8;
constexpr int css_growth_divisor = 4;
constexpr int css_round_limit = 5;

}  // namespace

void HyStart::on_ack(bool round_begins, std::optional<Nanoseconds> rtt_ns) {
  if (round_begins) {
    last_round_min_ns_ = round_min_ns_;
    round_min_ns_ = never;
    samples_ = 0;
    // If CSS began in the middle of a round, the round counts whole.
    if (conservative() && ++css_rounds_ == css_round_limit) done_ = true;
  }
  if (!rtt_ns) return;
  round_min_ns_ = std::min(round_min_ns_, *rtt_ns);
  if (++samples_ < n_rtt_sample) return;

  if (conservative()) {
    if (round_min_ns_ < css_baseline_ns_) css_baseline_ns_ = never;  // it was jitter: back to slow start
    return;
  }
  if (last_round_min_ns_ == never) return;
  const Nanoseconds threshold_ns =
      std::clamp(last_round_min_ns_ / min_rtt_divisor, min_rtt_thresh_ns, max_rtt_thresh_ns);
  if (round_min_ns_ >= sum_of(last_round_min_ns_, threshold_ns)) {
    css_baseline_ns_ = round_min_ns_;
    css_rounds_ = 0;
  }
}

double HyStart::growth(double newly_acked) const {
  const double counted = std::min(newly_acked, most_per_ack_);
  return conservative() ? counted / css_growth_divisor : counted;
}

}  // namespace clift::tcp
