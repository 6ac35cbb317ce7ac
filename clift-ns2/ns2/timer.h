// ns-2 timers that call a member of their owner, and end with it.
#pragma once

#include "scheduler.h"

#include "core/time.h"
#include "sim_time.h"

namespace clift {

// Calls a member of its owner when it expires.
template <class Owner, void (Owner::*member)()>
class Timer : public Handler {
 public:
  explicit Timer(Owner& owner) : owner_(owner) {}
  ~Timer() override { cancel(); }

  // Sets the timer for this time, or for now if it has passed.
  void set(Nanoseconds time_ns) { set_after(delay_to(to_seconds(time_ns))); }

  // Sets the timer for the time after this delay.
  void set_after(double delay_s) {
    cancel();
    Scheduler::instance().schedule(this, &expiry_, delay_s);
  }

  void cancel() {
    if (expiry_.uid_ > 0) Scheduler::instance().cancel(&expiry_);
  }

 protected:
  void handle(Event*) override { (owner_.*member)(); }

 private:
  Owner& owner_;
  Event expiry_;  // the scheduler holds it while its `uid_` is positive
};

// A timer for deadlines: it expires at the deadline or before it. The owner must then arm it again.
template <class Owner, void (Owner::*member)()>
class DeadlineTimer : private Timer<Owner, member> {
 public:
  using Timer<Owner, member>::Timer;

  // Does not change a timer that is set too early: most deadlines only move later.
  void arm(Nanoseconds deadline_ns) {
    if (deadline_ns >= armed_ns_) return;
    armed_ns_ = deadline_ns;
    this->set(deadline_ns);
  }

 private:
  void handle(Event* event) override {
    armed_ns_ = never;
    Timer<Owner, member>::handle(event);
  }

  Nanoseconds armed_ns_ = never;  // next expiry; `never`: not set
};

}  // namespace clift
