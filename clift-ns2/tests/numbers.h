// Random numbers for the tests of random processes.
#pragma once

#include <cmath>
#include <random>

#include "core/uniform_source.h"

namespace clift {

class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  operator UniformSource() {  // NOLINT: implicit
    return [this] {
      ++drawn;
      return std::uniform_real_distribution<double>(std::nextafter(0.0, 1.0), 1.0)(engine_);
    };
  }
  int drawn = 0;

 private:
  std::mt19937_64 engine_;
};

}  // namespace clift
