// ns-2's timers for objects that have a member to be called: they end with their owners.
#pragma once

#include <algorithm>

#include "timer-handler.h"

#include "core/time.h"
#include "sim_time.h"

namespace clift {

// Calls a member of `Owner` when it expires.
template <class Owner>
class Timer : public TimerHandler {
 public:
  Timer(Owner& owner, void (Owner::*member)()) : owner_(owner), member_(member) {}
  ~Timer() override { force_cancel(); }

 protected:
  void expire(Event*) override { (owner_.*member_)(); }

 private:
  Owner& owner_;
  void (Owner::*member_)();
};

// For owners that know when they have something to do: expires at that time, or before it. Then it is to be armed anew.
template <class Owner>
class DeadlineTimer : private Timer<Owner> {
 public:
  using Timer<Owner>::Timer;

  // A timer that is set too early is left alone: most deadlines only move away.
  void arm(Nanoseconds deadline_ns) {
    if (deadline_ns >= armed_ns_) return;
    armed_ns_ = deadline_ns;
    this->resched(std::max(0.0, to_seconds(deadline_ns) - Scheduler::instance().clock()));
  }

 private:
  void expire(Event* event) override {
    armed_ns_ = never;
    Timer<Owner>::expire(event);
  }

  Nanoseconds armed_ns_ = never;  // when it will expire; never: it is not set
};

}  // namespace clift
