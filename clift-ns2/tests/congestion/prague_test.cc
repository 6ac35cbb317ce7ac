#include "core/tcp/congestion/prague.h"

#include <gtest/gtest.h>

#include "tests/congestion/script.h"

namespace clift::tcp {
namespace {

using ScriptedPrague = Scripted<Prague>;

// Leaves slow start by a mark; then `rounds` windows without one.
void pass(Script& script, int rounds) {
  script.outstanding = 5;
  script.ack(1, 0, 1);
  script.mark();
  script.is_cwnd_limited = false;
  for (int i = 0; i < rounds; ++i) {
    script.now_ns += 30 * millisecond;
    script.ack(6);
  }
}

TEST_F(ScriptedPrague, KeepsAlphaUntilTheFirstMark) {
  script.is_cwnd_limited = false;
  script.outstanding = 10;
  for (int i = 0; i < 5; ++i) script.ack(11);
  EXPECT_DOUBLE_EQ(control.alpha(), 1.0);
  script.ack(11, 0, 11);
  script.mark();
  EXPECT_DOUBLE_EQ(control.cwnd(), 5.0);
  script.ack(11);
  EXPECT_DOUBLE_EQ(control.alpha(), 0.9375);
}

TEST(Prague, GrowsByAPacketInAnRttOf25MillisecondsOrMore) {
  for (const auto& [rtt_ms, growth] : {std::pair(100, 1.0), std::pair(25, 1.0), std::pair(5, 0.04)}) {
    for (const int rounds : {498, 499}) {  // the next ACK ends another one
      Prague control(ControlParameters{});
      Script script(control, rtt_ms * millisecond);
      pass(script, rounds);
      script.is_cwnd_limited = true;
      const double cwnd = control.cwnd();
      script.ack();
      EXPECT_DOUBLE_EQ(control.cwnd(), cwnd + (rounds < 499 ? 1.0 : growth) / cwnd) << rtt_ms << " " << rounds;
    }
  }
}

TEST(Prague, ThenAveragesOver25Milliseconds) {
  Prague control(ControlParameters{});
  Script script(control, 5 * millisecond);
  pass(script, 499);
  EXPECT_EQ(control.least_round_ns(), 0);
  script.ack(6);
  EXPECT_EQ(control.least_round_ns(), 25 * millisecond);
  const double alpha = control.alpha();
  script.now_ns += 24 * millisecond;
  script.ack(6);
  EXPECT_DOUBLE_EQ(control.alpha(), alpha);
  script.now_ns += millisecond;
  script.ack(6, 0, 6);  // 6 of 12
  EXPECT_DOUBLE_EQ(control.alpha(), alpha + (0.5 - alpha) / 16);
}

TEST_F(ScriptedPrague, IsPacedTwiceAsFastInSlowStart) {
  control.on_established(0, 100 * millisecond);
  EXPECT_DOUBLE_EQ(control.pacing_rate(), 200.0);
  pass(script, 1);
  EXPECT_DOUBLE_EQ(control.cwnd(), 5.0);
  EXPECT_DOUBLE_EQ(control.pacing_rate(), 50.0);
}

}  // namespace
}  // namespace clift::tcp
