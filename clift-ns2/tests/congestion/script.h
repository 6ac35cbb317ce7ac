// Hand-made acknowledgements for one congestion control.
#pragma once

#include <gtest/gtest.h>

#include "core/tcp/congestion_control.h"

namespace clift::tcp {

inline constexpr Nanoseconds millisecond = 1'000'000;

// Acknowledges packets one by one or in batches, all of them in order, with the window as the limit.
class Script {
 public:
  Script(CongestionControl& control, Nanoseconds rtt_ns) : control_(control), rtt_ns_(rtt_ns) { control_.on_start(0); }

  Nanoseconds now_ns = 0;
  std::int64_t una = 0;
  std::int64_t outstanding = 0;  // snd_nxt - snd_una; 0: the window
  bool is_cwnd_limited = true;
  RecoveryState state = RecoveryState::open;

  void set_rtt(Nanoseconds rtt_ns) { rtt_ns_ = rtt_ns; }

  // `selectively` of the packets had been acknowledged out of order before, `marked` ones have met a mark.
  AckSample ack(std::int64_t packets = 1, std::int64_t selectively = 0, std::int64_t marked = 0) {
    const std::int64_t flight = outstanding > 0 ? outstanding : static_cast<std::int64_t>(control_.cwnd());
    const std::int64_t snd_nxt = una + flight;  // the sender reports an acknowledgement before it answers it
    una += packets;
    min_rtt_ns_ = std::min(min_rtt_ns_, rtt_ns_);
    AckSample sample;
    sample.now_ns = now_ns;
    sample.newly_acked = packets;
    sample.newly_delivered = packets - selectively;
    sample.newly_marked = marked;
    sample.has_echo = marked > 0;
    sample.rtt_ns = sample.srtt_ns = rtt_ns_;
    sample.min_rtt_ns = min_rtt_ns_;
    sample.delivered = sample.snd_una = una;
    sample.in_flight = flight;
    sample.prior_in_flight = flight + packets;
    sample.snd_nxt = snd_nxt;
    sample.last_delivered = una - 1;
    sample.state = state;
    sample.is_cwnd_limited = is_cwnd_limited;
    control_.on_ack(sample);
    return sample;
  }

  // A window's worth of acknowledgements, spread over one RTT.
  void round() {
    const auto window = static_cast<std::int64_t>(control_.cwnd());
    const Nanoseconds begin_ns = now_ns;
    for (std::int64_t i = 1; i <= window; ++i) {
      now_ns = begin_ns + rtt_ns_ * i / window;
      ack();
    }
  }

  CongestionEvent event() const {
    CongestionEvent loss;
    loss.in_flight = static_cast<std::int64_t>(control_.cwnd());
    loss.delivered = una;
    loss.min_rtt_ns = min_rtt_ns_;
    return loss;
  }

  // Fast recovery, from the first loss found to the last one repaired.
  void loss() { reduce(event()); }

  void mark() {
    CongestionEvent mark = event();
    mark.is_mark = true;
    reduce(mark);
  }

 private:
  void reduce(const CongestionEvent& event) {
    control_.on_enter_recovery(event);
    control_.on_exit_recovery(now_ns, RecoveryState::recovery);
  }

  CongestionControl& control_;
  Nanoseconds rtt_ns_;
  Nanoseconds min_rtt_ns_ = never;
};

// A control with the usual parameters over a path of 100 ms.
template <class Control>
struct Scripted : testing::Test {
  Control control{ControlParameters{}};
  Script script{control, 100 * millisecond};
};

}  // namespace clift::tcp
