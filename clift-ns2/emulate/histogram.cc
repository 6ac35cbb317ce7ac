#include "emulate/histogram.h"

#include <algorithm>
#include <cmath>

namespace clift {

void Histogram::add(Nanoseconds value_ns) {
  value_ns = std::max<Nanoseconds>(value_ns, 0);
  ++counts_[class_of(value_ns)];
  ++count_;
  least_ns_ = std::min(least_ns_, value_ns);
  most_ns_ = std::max(most_ns_, value_ns);
}

Nanoseconds Histogram::quantile_ns(double share) const {
  const auto rank = std::max<std::int64_t>(1, std::llround(std::ceil(share * static_cast<double>(count_))));
  std::int64_t seen = 0;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    seen += counts_[index];
    if (seen >= rank) return std::min(upper_end(index), most_ns_);
  }
  return 0;
}

std::int64_t Histogram::at_least(Nanoseconds bound_ns) const {
  std::int64_t found = 0;
  for (std::size_t index = class_of(bound_ns); index < counts_.size(); ++index) found += counts_[index];
  return found;
}

// Values below `fine` have a class each; above, each power of two is cut into `fine` classes.
std::size_t Histogram::class_of(Nanoseconds value_ns) {
  const auto value = static_cast<std::uint64_t>(value_ns);
  if (value < fine) return static_cast<std::size_t>(value);
  const int shift = 63 - __builtin_clzll(value) - fine_bits;
  return static_cast<std::size_t>(shift) * fine + static_cast<std::size_t>(value >> shift);
}

Nanoseconds Histogram::upper_end(std::size_t index) {
  if (index < fine) return static_cast<Nanoseconds>(index);
  const std::size_t shift = index / fine - 1;
  const std::uint64_t begin = static_cast<std::uint64_t>(index - shift * fine) << shift;
  return static_cast<Nanoseconds>(begin + ((std::uint64_t{1} << shift) - 1));
}

}  // namespace clift
