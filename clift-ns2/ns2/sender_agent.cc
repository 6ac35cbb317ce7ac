#include "sender_agent.h"

#include "sim_time.h"

namespace clift {

SenderAgent::SenderAgent() {
  bind("srtt_s_", &srtt_s_);
  bind("ca_state_", &ca_state_);
}

void SenderAgent::send_much(int, int, int) {
  offer();
  update();
}

void SenderAgent::update() {
  show();
  timer_.arm(next_deadline_ns());
}

void SenderAgent::complete() {
  if (closed_) return;
  closed_ = 1;
  finish();
}

void SenderAgent::on_timer() {
  if (next_deadline_ns() <= now_ns()) {
    on_deadline();
    show();
  }
  timer_.arm(next_deadline_ns());
}

}  // namespace clift
