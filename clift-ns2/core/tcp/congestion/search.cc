#include "core/tcp/congestion/search.h"

#include <algorithm>

namespace clift::tcp {

namespace {

constexpr Nanoseconds bins_per_20_rtts = 7;  // a window of ten bins is 3.5 RTTs long
constexpr std::int64_t bins_of_overshoot = 5;  // two RTTs, in whole bins
constexpr double exit_threshold = 0.35;

}  // namespace

void Search::begin(Nanoseconds now_ns, Nanoseconds rtt_ns) {
  bin_ns_ = std::max<Nanoseconds>(1, rtt_ns * bins_per_20_rtts / 20);
  restart(now_ns);
}

void Search::restart(Nanoseconds now_ns) {
  bin_end_ns_ = now_ns + bin_ns_;
  last_ = -1;
  packets_ = 0.0;
}

std::optional<double> Search::on_ack(Nanoseconds now_ns, Nanoseconds rtt_ns, std::int64_t packets) {
  if (bin_ns_ == 0) begin(now_ns, rtt_ns);
  packets_ += static_cast<double>(packets);
  if (now_ns <= bin_end_ns_) return std::nullopt;
  end_bins(now_ns);

  const std::int64_t bins_back = rtt_ns / bin_ns_;
  const std::int64_t before = last_ - bins_back;
  if (before < window_bins || bins_back > extra_bins) return std::nullopt;
  const double delivered = sum(last_ - window_bins, last_, 0.0);
  const double fraction = static_cast<double>(rtt_ns % bin_ns_) / static_cast<double>(bin_ns_);
  const double expected = 2.0 * sum(before - window_bins, before, fraction);
  if (expected <= 0.0 || (expected - delivered) / expected < exit_threshold) return std::nullopt;
  return sum(last_ - bins_of_overshoot, last_, 0.0);
}

// What was delivered since the last bin counts in the bin that ends now; bins in between are empty.
void Search::end_bins(Nanoseconds now_ns) {
  const std::int64_t passed = (now_ns - bin_end_ns_) / bin_ns_ + 1;
  bin_end_ns_ += passed * bin_ns_;
  for (std::int64_t i = std::max(last_ + 1, last_ + passed - total_bins + 1); i < last_ + passed; ++i) {
    bins_[static_cast<std::size_t>(i % total_bins)] = 0.0;
  }
  last_ += passed;
  bins_[static_cast<std::size_t>(last_ % total_bins)] = packets_;
  packets_ = 0.0;
}

// The packets of the bins behind `from`, up to and with `to`, moved back by a fraction of a bin.
double Search::sum(std::int64_t from, std::int64_t to, double fraction) const {
  double packets = bin(from) * fraction + bin(to) * (1.0 - fraction);
  for (std::int64_t i = from + 1; i < to; ++i) packets += bin(i);
  return packets;
}

}  // namespace clift::tcp
