// Updates of a controller at every period since time 0, made up for when a packet comes or leaves.
#pragma once

#include "core/time.h"

namespace clift {

class PeriodicUpdates {
 public:
  explicit PeriodicUpdates(Nanoseconds period_ns) : period_ns_(period_ns), next_ns_(period_ns) {}

  // Calls `update(time_ns)` for each update due by `now_ns`. It returns whether further ones would change nothing.
  template <class Update>
  void run_until(Nanoseconds now_ns, Update update) {
    while (next_ns_ <= now_ns) {
      const bool is_settled = update(next_ns_);
      next_ns_ += is_settled ? (now_ns - next_ns_) / period_ns_ * period_ns_ + period_ns_ : period_ns_;
    }
  }

 private:
  const Nanoseconds period_ns_;
  Nanoseconds next_ns_;
};

}  // namespace clift
