// The mean window under periodic loss, which the response functions of the specifications are about.
#pragma once

#include "tests/congestion/ideal_sender.h"

namespace clift::tcp {

// Mean packets per RTT over `periods`, each of which ends with a loss, on a path that never queues. The control starts
// near the `expected` mean, loses a packet at once to leave slow start, and has four periods to settle.
template <typename Control>
double average_window(double expected, std::int64_t period, Nanoseconds rtt_ns, std::int64_t periods) {
  constexpr std::int64_t settling = 4, first_lost = 20;
  ControlParameters parameters;
  parameters.initial_window = static_cast<std::int64_t>(1.2 * expected) + 8;
  Control control(parameters);
  Path path;
  path.rate = 1e9;
  path.rtt_ns = rtt_ns;
  path.is_lost = [=](std::int64_t transmission) { return transmission % period == first_lost; };
  IdealSender sender(control, path);
  while (sender.sent() < settling * period) sender.run_until(sender.now_ns() + rtt_ns);
  const Nanoseconds begin_ns = sender.now_ns();
  const std::int64_t begin = sender.sent();
  while (sender.sent() < (settling + periods) * period) sender.run_until(sender.now_ns() + rtt_ns);
  return static_cast<double>(sender.sent() - begin) * static_cast<double>(rtt_ns) /
         static_cast<double>(sender.now_ns() - begin_ns);
}

}  // namespace clift::tcp
