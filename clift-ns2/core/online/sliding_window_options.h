// Parameters of the sliding-window codes.
#pragma once

#include <cstdint>

namespace clift {

struct SlidingWindowOptions {
  std::int64_t window;    // most source units that a repair unit covers, W, at least 1
  std::int64_t interval;  // source units from one repair unit to the next, k, at least 1
  bool feedback = false;  // reports move the window, and ask for repair units
};

}  // namespace clift
