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

// The delay from now to `time_s`; none if that has passed.
inline double delay_to(double time_s) { return std::max(0.0, time_s - Scheduler::instance().clock()); }

// The time at which ns-2 puts an event after this delay. It adds the delay to its clock, which rounds.
inline double time_after(double delay_s) { return Scheduler::instance().clock() + delay_s; }

// The least delay that does not put an event before `earliest_s`, which is not over: it keeps the order of two events at
// the same time.
inline double delay_to_reach(double earliest_s) {
  // The steps begin just below the least delay: from a much shorter one they would hardly end.
  double delay_s = std::nextafter(earliest_s - Scheduler::instance().clock(), 0.0);
  while (time_after(delay_s) < earliest_s) delay_s = std::nextafter(delay_s, HUGE_VAL);
  return delay_s;
}

}  // namespace clift
