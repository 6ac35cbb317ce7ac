#include "core/uniform_source.h"

#include <random>

namespace clift {

UniformSource seeded_uniform(std::uint64_t seed) {
  // The upper 52 bits, in the middle of their intervals: the distributions of the library differ from one to another.
  return [bits = std::mt19937_64(seed)]() mutable { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; };
}

}  // namespace clift
