#include "sender_agent.h"

#include <cmath>

#include "sim_time.h"

namespace clift {

SenderAgent::SenderAgent() : timer_(this) {
  bind("srtt_s_", &srtt_s_);
  bind("ca_state_", &ca_state_);
}

void SenderAgent::send_much(int, int, int) {
  offer();
  update();
}

void SenderAgent::update() {
  show();
  arm();
}

void SenderAgent::complete() {
  if (closed_) return;
  closed_ = 1;
  finish();
}

void SenderAgent::on_timer() {
  armed_ns_ = never;
  if (next_deadline_ns() <= now_ns()) {
    on_deadline();
    show();
  }
  arm();
}

// A timer that is set too early is left alone and set again when it expires: most deadlines only move away.
void SenderAgent::arm() {
  const Nanoseconds deadline_ns = next_deadline_ns();
  if (deadline_ns >= armed_ns_) return;
  armed_ns_ = deadline_ns;
  timer_.resched(std::fmax(0.0, to_seconds(deadline_ns) - Scheduler::instance().clock()));
}

}  // namespace clift
