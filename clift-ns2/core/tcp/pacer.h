// Spreads packets over time: the next packet leaves 1/rate after the last (draft-ietf-ccwg-bbr, section "Pacing Rate").
#pragma once

#include <algorithm>
#include <cmath>

#include "core/time.h"

namespace clift::tcp {

class Pacer {
 public:
  // Whether a packet may leave at `rate` packets a second; 0: no pacing.
  bool may_send(Nanoseconds now_ns, double rate) const { return rate <= 0.0 || now_ns >= next_ns_; }

  void on_sent(Nanoseconds now_ns, double rate) {
    if (rate > 0.0) next_ns_ = std::max(next_ns_, now_ns) + std::llround(1e9 / rate);
  }

  Nanoseconds next_ns() const { return next_ns_; }

 private:
  Nanoseconds next_ns_ = 0;
};

}  // namespace clift::tcp
