// A stretch of packets whose delivery rates say nothing about the path, because the sender held itself back.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clift::tcp {

// C.app_limited of the BBR drafts as far as ProbeRTT sets it: the packets sent from a mark until all packets then in
// flight are delivered.
class AppLimitedSpan {
 public:
  void mark(std::int64_t delivered, std::int64_t in_flight) {
    if (delivered > end_) begin_ = delivered;
    end_ = std::max<std::int64_t>(delivered + in_flight, 1);
  }

  // Whether a packet belongs to the span; `prior_delivered` packets had been delivered when it was sent.
  bool covers(std::int64_t prior_delivered) const { return prior_delivered >= begin_ && prior_delivered <= end_; }

 private:
  std::int64_t begin_ = 0;
  std::int64_t end_ = -1;
};

}  // namespace clift::tcp
