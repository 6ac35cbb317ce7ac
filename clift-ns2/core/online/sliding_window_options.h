// Parameters of the sliding-window code.
#pragma once

#include <cstdint>

namespace clift {

struct SlidingWindowOptions {
  std::int64_t window;    // last source units that a repair unit covers, W, at least 1
  std::int64_t interval;  // source units from one repair unit to the next, k, at least 1
};

}  // namespace clift
