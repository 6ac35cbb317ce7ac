// Properties of every congestion control, for any calls of the sender.
#include <fenv.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/tcp/congestion_control.h"

namespace clift::tcp {
namespace {

const std::vector<std::string> names = {"bbr", "bbr3", "compound", "cubic", "dctcp", "hybla", "prague", "reno", "westwood"};

// ns-2 ends a simulation that divides by zero, overflows or computes an invalid number.
class Trap {
 public:
  Trap() { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); }
  ~Trap() { fedisableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); }
};

TEST(EveryControl, IsMadeByItsName) {
  EXPECT_EQ(congestion_control_names(), names);
  for (const std::string& name : names) {
    const auto control = make_congestion_control(name, {});
    ASSERT_NE(control, nullptr) << name;
    EXPECT_DOUBLE_EQ(control->cwnd(), 10.0) << name;
  }
  EXPECT_EQ(make_congestion_control("vegas", {}), nullptr);
}

// Calls at random, with numbers from nothing to much: round trips of 0 to 100 s, rates of 0, windows of any size.
TEST(EveryControl, KeepsSoundNumbersWhateverHappens) {
  const Trap trap;
  for (const std::string& name : names) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
      std::mt19937 random(seed);
      const auto below = [&](std::int64_t bound) { return static_cast<std::int64_t>(random()) % bound; };
      ControlParameters parameters;
      parameters.uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
      if (seed > 5) parameters.saved = SavedPath{20'000.0, 100'000'000, never};
      if (seed > 7) parameters.slow_start = SlowStart::search;
      const auto control = make_congestion_control(name, parameters);
      control->on_start(0);
      Nanoseconds now_ns = 0, min_rtt_ns = never;
      std::int64_t delivered = 0;
      RecoveryState state = RecoveryState::open;
      for (int step = 0; step < 2000; ++step) {
        now_ns += below(3) * below(1'000'000'000);
        const Nanoseconds rtt_ns = below(20) == 0 ? below(100'000'000'000) : below(500'000'000);
        const std::int64_t in_flight = below(2) == 0 ? below(5) : below(30'000);
        CongestionEvent event;
        event.in_flight = in_flight;
        event.delivered = delivered;
        event.min_rtt_ns = min_rtt_ns;
        event.is_repeated = state == RecoveryState::loss;
        event.is_mark = below(2) == 0;
        const std::int64_t what = below(40);
        if (what == 0) {
          for (std::int64_t n = below(10); n >= 0; --n) {
            LostPacket packet;
            packet.now_ns = now_ns;
            packet.packet = below(delivered + 1);
            packet.delivered = delivered;
            packet.tx_in_flight = 1 + below(in_flight + 1);
            packet.lost_since_sent = 1 + below(10);
            control->on_lost(packet);
          }
          control->on_enter_recovery(event);
          state = RecoveryState::recovery;
        } else if (what == 1) {
          control->on_timeout(event);
          state = RecoveryState::loss;
        } else if (what == 2 && state != RecoveryState::open) {
          control->on_exit_recovery(now_ns, state);
          state = RecoveryState::open;
        } else if (what == 3) {
          control->on_undo(now_ns, state);
          state = RecoveryState::open;
        } else if (what == 4) {
          control->on_transmit({now_ns, 0, true});
          control->on_idle_restart(now_ns, 3'000'000'000, 1'000'000'000);
        } else {
          AckSample ack;
          ack.now_ns = now_ns;
          ack.newly_acked = below(3) == 0 ? 0 : below(50);
          ack.newly_delivered = below(20);
          delivered += ack.newly_delivered;
          ack.newly_marked = below(2) * below(25);
          ack.has_echo = ack.newly_marked > 0;
          ack.rtt_ns = below(4) == 0 ? -1 : rtt_ns;
          if (ack.rtt_ns >= 0) min_rtt_ns = std::min(min_rtt_ns, ack.rtt_ns);
          ack.srtt_ns = min_rtt_ns == never ? 0 : std::max<Nanoseconds>(rtt_ns, 1);
          ack.min_rtt_ns = min_rtt_ns;
          ack.in_flight = in_flight;
          ack.prior_in_flight = in_flight + ack.newly_delivered;
          ack.delivered = ack.snd_una = delivered;
          ack.snd_nxt = delivered + in_flight;
          ack.last_delivered = delivered - 1;
          ack.state = state;
          ack.is_cwnd_limited = below(2) == 0;
          ack.rate.delivery_rate = below(3) == 0 ? 0.0 : static_cast<double>(below(1'000'000));
          ack.rate.delivered = ack.newly_delivered;
          ack.rate.prior_delivered = below(delivered + 1);
          ack.rate.lost = below(4);
          ack.rate.tx_in_flight = 1 + below(in_flight + 1);
          ack.rate.is_app_limited = below(5) == 0;
          control->on_ack(ack);
        }
        ASSERT_TRUE(std::isfinite(control->cwnd())) << name << " " << seed << " " << step;
        ASSERT_GE(control->cwnd(), 1.0) << name << " " << seed << " " << step;
        ASSERT_GE(control->ssthresh(), 2) << name << " " << seed << " " << step;
        ASSERT_TRUE(std::isfinite(control->pacing_rate()) && control->pacing_rate() >= 0.0) << name;
      }
    }
  }
}

}  // namespace
}  // namespace clift::tcp
