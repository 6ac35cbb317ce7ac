#include "core/tcp/congestion/reno.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/congestion/average_window.h"
#include "tests/congestion/script.h"

namespace clift::tcp {
namespace {

using ScriptedReno = Scripted<Reno>;

TEST_F(ScriptedReno, DoublesItsWindowInEachRoundOfSlowStart) {
  EXPECT_DOUBLE_EQ(control.cwnd(), 10.0);
  script.round();
  EXPECT_DOUBLE_EQ(control.cwnd(), 20.0);
  script.round();
  EXPECT_DOUBLE_EQ(control.cwnd(), 40.0);
}

TEST_F(ScriptedReno, CountsPacketsNotAcknowledgements) {
  // RFC 3465: ten acknowledgements of two packets each are twenty packets.
  for (int i = 0; i < 10; ++i) script.ack(2);
  EXPECT_DOUBLE_EQ(control.cwnd(), 30.0);
}

TEST_F(ScriptedReno, GrowsByOnePacketInEachRoundOfCongestionAvoidance) {
  for (int i = 0; i < 3; ++i) script.round();
  script.loss();
  EXPECT_EQ(control.ssthresh(), 40);
  EXPECT_DOUBLE_EQ(control.cwnd(), 40.0);
  for (int i = 1; i <= 10; ++i) {
    script.round();
    // 1 / w for each packet of a window: just under one packet, as the window grows meanwhile and is cut to whole ones.
    EXPECT_LE(control.cwnd(), 40.0 + i);
    EXPECT_GT(control.cwnd(), 40.0 + i * (1.0 - 1.5 / 40));
  }
}

TEST_F(ScriptedReno, UsesInCongestionAvoidanceWhatSlowStartLeaves) {
  script.loss();  // ssthresh 5
  control.on_timeout(script.event());
  ASSERT_EQ(control.ssthresh(), 2);
  ASSERT_DOUBLE_EQ(control.cwnd(), 1.0);
  script.ack(3);  // one to reach 2, two more at 1/2 each
  EXPECT_DOUBLE_EQ(control.cwnd(), 3.0);
}

TEST(Reno, GrowsOutOfOrderOnlyWherePacketsAreKnownToOvertakeEachOther) {
  Reno control(ControlParameters{});
  AckSample selective;
  selective.newly_delivered = 2;
  selective.is_cwnd_limited = true;
  control.on_ack(selective);
  EXPECT_DOUBLE_EQ(control.cwnd(), 10.0);
  selective.reordering = duplicate_threshold + 1;
  control.on_ack(selective);
  EXPECT_DOUBLE_EQ(control.cwnd(), 12.0);
}

TEST_F(ScriptedReno, DoesNotCountPacketsAgainThatWereSelectivelyAcknowledged) {
  script.round();
  script.loss();
  ASSERT_DOUBLE_EQ(control.cwnd(), 10.0);
  script.ack(20, 19);  // ends the recovery: the one packet that was missing
  EXPECT_DOUBLE_EQ(control.cwnd(), 10.1);
}

TEST_F(ScriptedReno, StandsStillWhenTheWindowIsNotTheLimit) {
  script.is_cwnd_limited = false;
  script.round();
  EXPECT_DOUBLE_EQ(control.cwnd(), 10.0);
}

TEST_F(ScriptedReno, StartsAgainAtOnePacketAfterATimeout) {
  for (int i = 0; i < 3; ++i) script.round();
  control.on_timeout(script.event());
  EXPECT_EQ(control.ssthresh(), 40);
  EXPECT_DOUBLE_EQ(control.cwnd(), 1.0);
  CongestionEvent again = script.event();
  again.is_repeated = true;
  control.on_timeout(again);
  EXPECT_EQ(control.ssthresh(), 40);  // RFC 5681, section 3.1
}

// Periodic loss: a sawtooth between W/2 and W with 3/8 W^2 packets in W/2 RTTs, so a mean of sqrt(3 / 2p) (Mathis et
// al. 1997); with an RTT of recovery at W/2, and half a packet less because windows are whole, a little below.
TEST(Reno, KeepsToTheResponseFunctionUnderPeriodicLoss) {
  for (const std::int64_t period : {200, 1000, 10'000}) {
    const double packets = static_cast<double>(period);
    const double peak = (std::sqrt(0.25 + 1.5 * packets) - 0.5) / 0.75;  // 3/8 W^2 + W/2 packets
    const double expected = packets / (peak / 2.0 + 1.0) - 0.5;
    EXPECT_NEAR(average_window<Reno>(expected, period, 100 * millisecond, 20) / expected, 1.0, 0.07) << period;
  }
}

}  // namespace
}  // namespace clift::tcp
