// Times are integer nanoseconds; sums that leave the range stay at its end, of times as of bytes.
#pragma once

#include <cstdint>
#include <limits>

namespace clift {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

inline double to_seconds(Nanoseconds time_ns) { return static_cast<double>(time_ns) * 1e-9; }

// a + b for a >= 0 and b >= 0.
inline Nanoseconds sum_of(Nanoseconds a, Nanoseconds b) {
  Nanoseconds sum;
  return __builtin_add_overflow(a, b, &sum) ? never : sum;
}

// cycles * period for cycles >= 0 and period >= 0.
inline Nanoseconds product_of(std::int64_t cycles, Nanoseconds period) {
  Nanoseconds product;
  return __builtin_mul_overflow(cycles, period, &product) ? never : product;
}

}  // namespace clift
