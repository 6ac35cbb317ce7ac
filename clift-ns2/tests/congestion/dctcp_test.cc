#include "core/tcp/congestion/dctcp.h"

#include <gtest/gtest.h>

#include "tests/congestion/script.h"

namespace clift::tcp {
namespace {

using ScriptedDctcp = Scripted<Dctcp>;

// Ten packets an ACK, each of which ends a window; the window does not grow.
struct Windows {
  explicit Windows(CongestionControl& control, Nanoseconds rtt_ns = 100 * millisecond) : script(control, rtt_ns) {
    script.is_cwnd_limited = false;
    script.outstanding = 10;
  }
  void end(std::int64_t marked) {
    script.now_ns += 100 * millisecond;
    script.ack(11, 1, marked);
  }
  Script script;
};

TEST(Dctcp, AveragesTheShareOfMarkedPacketsOverWindows) {
  Dctcp control(ControlParameters{});
  EXPECT_DOUBLE_EQ(control.alpha(), 1.0);
  Windows windows(control);
  windows.end(0);  // 15/16
  EXPECT_DOUBLE_EQ(control.alpha(), 0.9375);
  windows.end(10);  // (15 * .9375 + 1) / 16
  EXPECT_DOUBLE_EQ(control.alpha(), 0.94140625);
  windows.end(5);  // (15 * .94140625 + .5) / 16
  EXPECT_DOUBLE_EQ(control.alpha(), 0.913818359375);
}

TEST_F(ScriptedDctcp, CountsAWindowOnce) {
  script.outstanding = 10;
  script.ack(1);  // packet 10 is the first of the next window
  for (int i = 0; i < 9; ++i) script.ack(1, 0, 1);
  EXPECT_DOUBLE_EQ(control.alpha(), 0.9375);
  script.ack(1);  // 9 of 10
  EXPECT_DOUBLE_EQ(control.alpha(), 0.9375 + (0.9 - 0.9375) / 16);
}

TEST(Dctcp, FallsByHalfTheShareAndHalvesAtALoss) {
  Dctcp control(ControlParameters{});
  Windows windows(control);
  windows.script.mark();
  EXPECT_DOUBLE_EQ(control.cwnd(), 5.0);  // alpha is 1
  windows.end(0);
  windows.script.mark();
  EXPECT_DOUBLE_EQ(control.cwnd(), 5.0 * (1.0 - 0.9375 / 2));  // 2.65625
  EXPECT_EQ(control.ssthresh(), 2);
  windows.script.mark();
  EXPECT_DOUBLE_EQ(control.cwnd(), 2.0);
  Dctcp other(ControlParameters{});
  Windows(other).script.loss();
  EXPECT_DOUBLE_EQ(other.cwnd(), 5.0);
}

TEST_F(ScriptedDctcp, GrowsByThePacketsWithoutAMark) {
  script.ack(6, 0, 4);  // slow start
  EXPECT_DOUBLE_EQ(control.cwnd(), 12.0);
  script.mark();
  const double cwnd = control.cwnd();
  script.ack(3, 0, 1);
  EXPECT_DOUBLE_EQ(control.cwnd(), cwnd + 2.0 / cwnd);
  script.ack(2, 0, 3);  // more marks than packets: of duplicates
  EXPECT_DOUBLE_EQ(control.cwnd(), cwnd + 2.0 / cwnd);
}

}  // namespace
}  // namespace clift::tcp
