#include "sender_agent.h"

#include <utility>

#include "failure.h"
#include "sim_time.h"

namespace clift {

SenderAgent::SenderAgent(std::string kind) : kind_(std::move(kind)) {
  bind("srtt_s_", &srtt_s_);
  bind("ca_state_", &ca_state_);
  bind("pacing_bps_", &pacing_bps_);
}

// The base divides by the tick when it is reset.
void SenderAgent::rtt_init() {
  check_settings();
  TcpAgent::rtt_init();
}

// Within these bounds, every number that ns-2 or `show` computes from the variables has room in an int.
void SenderAgent::check_settings() const {
  const auto check = [this](const char* variable, double value, double least, double most) {
    if (lies_within(value, least, most)) return;
    refuse(kind_ + ": " + variable, shown(value), "a number from " + shown(least) + " to " + shown(most));
  };
  check("window_", wnd_, 0.0, 1e15);
  check("packetSize_", size_, 1.0, 1e9);
  check("tcpip_base_hdr_size_", tcpip_base_hdr_size_, 0.0, 1e6);
  check("ts_option_size_", ts_option_size_, 0.0, 1e6);
  check("tcpTick_", tcp_tick_, 1e-5, 1e6);
  check("T_SRTT_BITS", T_SRTT_BITS, 0.0, 4.0);
  check("T_RTTVAR_BITS", T_RTTVAR_BITS, 0.0, 4.0);
  check("srtt_init_", srtt_init_, 0.0, 1e8 * tcp_tick_);
  check("rttvar_init_", rttvar_init_, 0.0, 1e8 * tcp_tick_);
}

void SenderAgent::send_much(int, int, int) {
  check_settings();
  if (target_ == nullptr) fail(kind_ + ": is not attached to a node; call `$ns attach-agent NODE AGENT` first");
  if (dst_.addr_ == -1) fail(kind_ + ": is not connected; call `$ns connect AGENT SINK` first");
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
