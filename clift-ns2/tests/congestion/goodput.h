// How much of a path a control uses under random loss.
#pragma once

#include <random>

#include "tests/congestion/ideal_sender.h"

namespace clift::tcp {

// Mean over `seeds` of packets delivered in `duration_s`, as a share of the bottleneck's capacity less losses.
template <typename Control>
double share_of_path(const Path& path, double loss, double duration_s, int seeds) {
  double sum = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    ControlParameters parameters;
    parameters.uniform = uniform;
    Control control(parameters);
    Path lossy = path;
    lossy.is_lost = [&](std::int64_t) { return uniform() < loss; };
    IdealSender sender(control, lossy);
    sender.run_until(static_cast<Nanoseconds>(duration_s * 1e9));
    sum += static_cast<double>(sender.delivered()) / (duration_s * path.rate * (1.0 - loss));
  }
  return sum / seeds;
}

}  // namespace clift::tcp
