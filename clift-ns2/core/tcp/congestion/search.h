// SEARCH, version 3 (draft-chung-ccwg-search-02): leaves slow start when the packets delivered in a window of time are
// fewer than twice those of the window one round-trip time before, that is when the bottleneck is full.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/time.h"

namespace clift::tcp {

class Search {
 public:
  // The connection is established; its first RTT gives the length of the bins. Without it the first ACK begins.
  void begin(Nanoseconds now_ns, Nanoseconds rtt_ns);

  // An acknowledgement that delivers `packets`. When slow start ends, the packets delivered since the bottleneck became
  // full, two first RTTs ago, by which the window is too large.
  std::optional<double> on_ack(Nanoseconds now_ns, Nanoseconds rtt_ns, std::int64_t packets);

  // The application has limited the sender: what was counted says nothing about the path (version 3.1).
  void restart(Nanoseconds now_ns);

 private:
  static constexpr std::int64_t window_bins = 10;
  static constexpr std::int64_t extra_bins = 15;
  static constexpr std::int64_t total_bins = window_bins + extra_bins + 1;  // the oldest window begins a bin earlier

  void end_bins(Nanoseconds now_ns);
  double sum(std::int64_t from, std::int64_t to, double fraction) const;
  double bin(std::int64_t index) const { return bins_[static_cast<std::size_t>(index % total_bins)]; }

  Nanoseconds bin_ns_ = 0;  // 0: not begun
  Nanoseconds bin_end_ns_ = 0;
  std::int64_t last_ = -1;  // the last full bin, counted from 0
  double packets_ = 0.0;    // delivered since its end
  std::array<double, total_bins> bins_ = {};
};

}  // namespace clift::tcp
