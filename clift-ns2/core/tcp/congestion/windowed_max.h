// The largest value of the last few ticks. A tick may be a round, or a cycle of probing.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

namespace clift::tcp {

// Exact, unlike the three-sample filter of Nichols that the BBR drafts suggest to save memory.
class WindowedMax {
 public:
  // Adds `value` at `tick`, which never decreases. Forgets the values before the last `length` ticks, the present tick
  // included.
  void update(double value, std::int64_t tick, std::int64_t length) {
    while (!samples_.empty() && samples_.back().second <= value) samples_.pop_back();
    samples_.emplace_back(tick, value);
    while (samples_.front().first <= tick - length) samples_.pop_front();
  }

  double largest() const { return samples_.empty() ? 0 : samples_.front().second; }

 private:
  std::deque<std::pair<std::int64_t, double>> samples_;  // ticks rise, values fall
};

}  // namespace clift::tcp
