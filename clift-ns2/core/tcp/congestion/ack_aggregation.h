// Excess of acknowledgements over the bandwidth, because they arrive together (draft-ietf-ccwg-bbr, BBR.extra_acked).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/tcp/congestion/windowed_max.h"
#include "core/time.h"

namespace clift::tcp {

class AckAggregation {
 public:
  // The largest excess of the last rounds, in packets.
  double extra() const { return largest_.largest(); }

  // Sending starts, or starts again. As in Linux, packets delivered before do not count; the draft keeps them, and takes
  // them all for an excess when sending starts again.
  void begin(Nanoseconds now_ns) {
    begin_ns_ = now_ns;
    delivered_ = 0.0;
  }

  // An acknowledgement of `newly_delivered` packets; the expected rate is `bandwidth` packets a second. An excess
  // counts up to `most`, and for `rounds` rounds.
  void update(Nanoseconds now_ns, double bandwidth, double newly_delivered, double most, std::int64_t round,
              std::int64_t rounds) {
    double expected = bandwidth * to_seconds(now_ns - begin_ns_);
    if (delivered_ <= expected) {
      begin_ns_ = now_ns;
      delivered_ = expected = 0.0;
    }
    delivered_ += newly_delivered;
    largest_.update(std::min(delivered_ - expected, most), round, rounds);
  }

 private:
  WindowedMax largest_;
  Nanoseconds begin_ns_ = 0;
  double delivered_ = 0.0;
};

}  // namespace clift::tcp
