// Distribution of times in bounded memory: counts in classes whose width is at most 1/64 of their value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/time.h"

namespace clift {

class Histogram {
 public:
  void add(Nanoseconds value_ns);  // a negative value counts as 0

  std::int64_t count() const { return count_; }
  Nanoseconds least_ns() const { return count_ > 0 ? least_ns_ : 0; }
  Nanoseconds most_ns() const { return most_ns_; }

  // Least value that at least `share` (0 to 1) of all values do not exceed, at most 1/64 too high; 0 without values.
  Nanoseconds quantile_ns(double share) const;

  // Number of values of at least `bound_ns`; the bound is exact to one class's width.
  std::int64_t at_least(Nanoseconds bound_ns) const;

 private:
  static constexpr int fine_bits = 6;
  static constexpr std::size_t fine = std::size_t{1} << fine_bits;

  static std::size_t class_of(Nanoseconds value_ns);
  static Nanoseconds upper_end(std::size_t index);

  std::array<std::int64_t, (64 - fine_bits) * fine> counts_{};
  std::int64_t count_ = 0;
  Nanoseconds least_ns_ = never;
  Nanoseconds most_ns_ = 0;
};

}  // namespace clift
