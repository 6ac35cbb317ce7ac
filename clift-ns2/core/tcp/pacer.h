// Spreads packets over time: the next packet leaves 1/rate after the last (draft-ietf-ccwg-bbr, section "Pacing Rate").
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/time.h"

namespace clift::tcp {

class Pacer {
 public:
  // A burst may begin: `quantum` packets may leave at once, `rate` packets a second on the average; 0: no pacing.
  bool may_send(Nanoseconds now_ns, double rate, std::int64_t quantum) {
    if (rate <= 0.0) return true;
    if (credit_ == 0 && now_ns >= next_ns_) credit_ = std::max<std::int64_t>(quantum, 1);
    return credit_ > 0;
  }

  void on_sent(Nanoseconds now_ns, double rate) {
    if (rate <= 0.0) return;
    next_ns_ = std::max(next_ns_, now_ns) + std::llround(1e9 / rate);
    if (credit_ > 0) --credit_;
  }

  // Another limit stops the sender: the rest of the burst expires.
  void end_burst() { credit_ = 0; }

  Nanoseconds next_ns() const { return next_ns_; }

 private:
  Nanoseconds next_ns_ = 0;
  std::int64_t credit_ = 0;
};

}  // namespace clift::tcp
