#include "core/tcp/congestion/hybla.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/congestion/average_window.h"
#include "tests/congestion/script.h"

namespace clift::tcp {
namespace {

// Brings a control with `packets` in its window into congestion avoidance.
void avoid_congestion(Hybla& control, Script& script, double window) {
  for (int i = 0; i < 3; ++i) script.ack();  // all at once: no estimate of the bottleneck
  while (control.cwnd() < 2 * window) script.ack();
  CongestionEvent event = script.event();
  event.in_flight = static_cast<std::int64_t>(2 * window);
  control.on_enter_recovery(event);
  control.on_exit_recovery(script.now_ns, RecoveryState::recovery);
}

TEST(Hybla, TakesRhoFromTheLeastRttAndNotBelowOne) {
  Hybla control(ControlParameters{});
  EXPECT_DOUBLE_EQ(control.rho(), 1.0);
  Script script(control, 500 * millisecond);
  script.ack();
  EXPECT_DOUBLE_EQ(control.rho(), 20.0);
  script.set_rtt(700 * millisecond);
  script.ack();
  EXPECT_DOUBLE_EQ(control.rho(), 20.0);
  script.set_rtt(10 * millisecond);
  script.ack();
  EXPECT_DOUBLE_EQ(control.rho(), 1.0);
}

TEST(Hybla, GrowsInSlowStartByTwoToTheRhoLessOne) {
  Hybla control(ControlParameters{});
  Script script(control, 75 * millisecond);  // rho = 3
  for (int i = 0; i < 3; ++i) script.ack();
  const double before = control.cwnd();
  script.ack();
  EXPECT_DOUBLE_EQ(control.cwnd() - before, 7.0);
  script.ack(2);
  EXPECT_DOUBLE_EQ(control.cwnd() - before, 21.0);
}

TEST(Hybla, GrowsNoFurtherThanItsBound) {
  ControlParameters parameters;
  parameters.window_clamp = 2000;
  Hybla control(parameters);
  Script script(control, 500 * millisecond);
  for (int i = 0; i < 10; ++i) script.ack();  // each would add 2^20 - 1
  EXPECT_DOUBLE_EQ(control.cwnd(), 2000.0);
}

TEST(Hybla, StopsSlowStartAtTheThreshold) {
  Hybla control(ControlParameters{});
  Script script(control, 500 * millisecond);
  avoid_congestion(control, script, 50);
  control.on_timeout(script.event());
  ASSERT_EQ(control.ssthresh(), 25);
  script.ack();  // 2^20 - 1 would be a million
  EXPECT_DOUBLE_EQ(control.cwnd(), 25.0);
}

TEST(Hybla, GrowsInCongestionAvoidanceByRhoSquaredOverTheWindow) {
  Hybla control(ControlParameters{});
  Script script(control, 100 * millisecond);  // rho = 4
  avoid_congestion(control, script, 64);
  ASSERT_DOUBLE_EQ(control.cwnd(), 64.0);
  script.ack();
  EXPECT_DOUBLE_EQ(control.cwnd(), 64.0 + 16.0 / 64.0);
}

// The paper's aim: the rate W / RTT grows by 1 / RTT0^2 = 1600 packets a second, each second, whatever the RTT.
TEST(Hybla, GainsRateIndependentlyOfTheRtt) {
  for (const std::int64_t rtt_ms : {25, 50, 125, 500}) {
    Hybla control(ControlParameters{});
    const Nanoseconds rtt_ns = rtt_ms * millisecond;
    const double rtt_s = static_cast<double>(rtt_ns) * 1e-9;
    Script script(control, rtt_ns);
    avoid_congestion(control, script, 400 * rtt_s / .025);  // the same rate for each
    const Nanoseconds begin_ns = script.now_ns;
    const double before = control.cwnd() / rtt_s;
    while (script.now_ns < begin_ns + 5'000 * millisecond) script.round();
    const double gain = (control.cwnd() / rtt_s - before) / (static_cast<double>(script.now_ns - begin_ns) * 1e-9);
    EXPECT_NEAR(gain / 1600.0, 1.0, 0.03) << rtt_ms;
  }
}

// And so with losses: a sawtooth between W/2 and W with 3/8 (W / rho)^2 packets in W / (2 rho^2) RTTs gives Reno's rate
// at RTT0, sqrt(3 / 2p) / RTT0, but for the RTT of recovery at W/2.
TEST(Hybla, HasRenosResponseFunctionAtTheReferenceRtt) {
  for (const std::int64_t rtt_ms : {25, 100, 500}) {
    constexpr double packets = 40'000;
    const double rho = static_cast<double>(rtt_ms) / 25.0, a = 0.375 / (rho * rho);
    const double peak = (std::sqrt(0.25 + 4.0 * a * packets) - 0.5) / (2.0 * a);  // a W^2 + W/2 packets
    const double expected = packets / (peak / (2.0 * rho * rho) + 1.0);
    EXPECT_NEAR(average_window<Hybla>(expected, 40'000, rtt_ms * millisecond, 6) / expected, 1.0, 0.07) << rtt_ms;
    EXPECT_NEAR(expected / rho / std::sqrt(1.5 * packets), 1.0, 0.08) << rtt_ms;
  }
}

TEST(Hybla, TakesTheFirstThresholdFromTheSpacingOfAcknowledgements) {
  // A bottleneck of 200 packets a second and 500 ms: 100 packets.
  Hybla control(ControlParameters{});
  Path path;
  path.rate = 200.0;
  path.rtt_ns = 500 * millisecond;
  IdealSender sender(control, path);
  sender.run_until(600 * millisecond);
  EXPECT_NEAR(static_cast<double>(control.ssthresh()), 100.0, 2.0);
}

TEST(Hybla, SpacesItsPackets) {
  Hybla control(ControlParameters{});
  Script script(control, 100 * millisecond);
  EXPECT_DOUBLE_EQ(control.pacing_rate(), 0.0);  // nothing to divide the window by
  avoid_congestion(control, script, 64);
  script.ack();
  EXPECT_DOUBLE_EQ(control.pacing_rate(), 1.2 * control.cwnd() / .1);
}

TEST(Hybla, HalvesWhatIsInFlight) {
  Hybla control(ControlParameters{});
  Script script(control, 500 * millisecond);
  for (int i = 0; i < 4; ++i) script.ack();
  ASSERT_GT(control.cwnd(), 1e6);
  CongestionEvent event = script.event();
  event.in_flight = 90;
  control.on_enter_recovery(event);
  EXPECT_EQ(control.ssthresh(), 45);
}

TEST(Hybla, BearsAnyRtt) {
  // 2^rho of an RTT of 100 s is beyond every number type.
  Hybla control(ControlParameters{});
  Script script(control, 100'000 * millisecond);
  for (int i = 0; i < 10; ++i) script.ack();
  EXPECT_TRUE(std::isfinite(control.cwnd()));
}

}  // namespace
}  // namespace clift::tcp
