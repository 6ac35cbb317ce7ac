// The variables of `Queue/Clift/Online` for scheme rlc.
#include "online_queue.h"

namespace clift {

void OnlineQueue::bind_rlc() {
  bind_bool("acknowledged_", &rlc_.acknowledged_);
  bind_bool("segments_in_order_", &rlc_.segments_in_order_);
  bind("max_retransmissions_", &rlc_.max_retransmissions_);
  bind("rlc_window_", &rlc_.window_);
  bind("poll_pdus_", &rlc_.poll_pdus_);
  bind_time("poll_retransmit_", &rlc_.poll_retransmit_);
  bind_time("reassembly_", &rlc_.reassembly_);
  bind_time("status_prohibit_", &rlc_.status_prohibit_);
}

void OnlineQueue::choose_rlc(LinkLayerOptions& options) const {
  const auto& [acknowledged, in_order, retransmissions, window, poll_pdus, poll_retransmit, reassembly, prohibit] = rlc_;
  RlcOptions chosen;
  chosen.acknowledged = acknowledged != 0;
  chosen.in_order = in_order != 0 || acknowledged == 0;
  chosen.max_retransmissions = checked_count("max_retransmissions_", retransmissions, 0);
  chosen.window = checked_count("rlc_window_", window, 1, 131072);
  chosen.poll_pdus = checked_count("poll_pdus_", poll_pdus, 1);
  chosen.reassembly_ns = checked_time("reassembly_", reassembly, "a time in seconds, from 0");
  chosen.status_prohibit_ns = checked_time("status_prohibit_", prohibit, "a time in seconds, from 0");
  const char* allowed = "0 (twice the RTT and the other timers) or a time in seconds";
  chosen.poll_retransmit_ns = checked_time("poll_retransmit_", poll_retransmit, allowed);
  if (chosen.poll_retransmit_ns == 0) {
    const Nanoseconds timers_ns = sum_of(chosen.reassembly_ns, chosen.status_prohibit_ns);
    chosen.poll_retransmit_ns = sum_of(product_of(2, options.rtt_ns), timers_ns);
  }
  options.rlc = chosen;
}

}  // namespace clift
