// Simulated time: ns-2 counts seconds in doubles, CLIFT nanoseconds in integers.
#pragma once

#include <cmath>

#include "scheduler.h"

#include "core/time.h"

namespace clift {

inline Nanoseconds to_ns(double seconds) { return std::llround(seconds * 1e9); }
inline double to_seconds(Nanoseconds time_ns) { return static_cast<double>(time_ns) * 1e-9; }
inline Nanoseconds now_ns() { return to_ns(Scheduler::instance().clock()); }

// Schedules an event for exactly `time_s`, or for now when that has passed. ns-2 adds the delay to the clock; without
// the correction, rounding would swap packets that are released at one moment.
inline void schedule_at(double time_s, Handler* handler, Event* event) {
  Scheduler& scheduler = Scheduler::instance();
  const double clock_s = scheduler.clock();
  double delay_s = std::fmax(0.0, time_s - clock_s);
  if (delay_s > 0.0 && clock_s + delay_s < time_s) delay_s = std::nextafter(delay_s, HUGE_VAL);
  if (delay_s > 0.0 && clock_s + delay_s > time_s) delay_s = std::nextafter(delay_s, 0.0);
  scheduler.schedule(handler, event, delay_s);
}

}  // namespace clift
