// Simulated time: ns-2 counts seconds in doubles, CLIFT nanoseconds in integers.
#pragma once

#include <algorithm>
#include <cmath>

#include "scheduler.h"

#include "core/time.h"

namespace clift {

// Rounds like std::llround, without a call: half a nanosecond is rounded away from zero.
inline Nanoseconds to_ns(double seconds) {
  const double time_ns = seconds * 1e9;
  const auto whole = static_cast<Nanoseconds>(time_ns);
  const double rest = time_ns - static_cast<double>(whole);
  return whole + (rest >= 0.5) - (rest <= -0.5);
}

inline Nanoseconds now_ns() { return to_ns(Scheduler::instance().clock()); }

// Schedules an event for `time_s`, or for now if that has passed, and not before `earliest_s`. ns-2 adds a delay to its
// clock, which rounds: the bound keeps the order of two events at the same time.
inline void schedule_at(double time_s, Handler* handler, Event* event, double earliest_s = 0.0) {
  Scheduler& scheduler = Scheduler::instance();
  const double now_s = scheduler.clock();
  double delay_s = std::max(0.0, time_s - now_s);
  if (now_s + delay_s < earliest_s) {
    // The steps begin just below the least delay: from a much shorter one they would hardly end.
    delay_s = std::nextafter(earliest_s - now_s, 0.0);
    while (now_s + delay_s < earliest_s) delay_s = std::nextafter(delay_s, HUGE_VAL);
  }
  scheduler.schedule(handler, event, delay_s);
}

}  // namespace clift
