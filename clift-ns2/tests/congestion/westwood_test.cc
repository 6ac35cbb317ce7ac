#include "core/tcp/congestion/westwood.h"

#include <gtest/gtest.h>

#include "tests/congestion/script.h"

namespace clift::tcp {
namespace {

using ScriptedWestwood = Scripted<Westwood>;

TEST_F(ScriptedWestwood, MeasuresTheBandwidthOnceInAnRtt) {
  // 10 packets in each 100 ms: 100 a second, whatever the filter.
  for (int i = 1; i <= 50; ++i) {
    script.now_ns = i * 10 * millisecond;
    script.ack();
    if (i < 10) {
      EXPECT_DOUBLE_EQ(control.bandwidth(), 0.0);
    }
  }
  EXPECT_DOUBLE_EQ(control.bandwidth(), 100.0);
}

TEST_F(ScriptedWestwood, FiltersWithAPoleOfNineTenths) {
  const auto sample = [&](std::int64_t packets) {
    script.now_ns += 100 * millisecond;
    script.ack(packets);
  };
  sample(10);  // the first sample fills the filter: 100 a second
  EXPECT_DOUBLE_EQ(control.bandwidth(), 100.0);
  sample(20);  // .9 * 100 + .1 * 200
  EXPECT_DOUBLE_EQ(control.bandwidth(), 110.0);
  sample(0);  // .9 * 110
  EXPECT_DOUBLE_EQ(control.bandwidth(), 99.0);
}

TEST_F(ScriptedWestwood, FallsToBandwidthTimesLeastRttAtALoss) {
  for (int i = 1; i <= 3; ++i) {
    script.now_ns = i * 100 * millisecond;
    script.ack(40);
  }
  script.set_rtt(300 * millisecond);  // a queue: the bandwidth stays, the least RTT too
  script.now_ns += 300 * millisecond;
  script.ack(120);
  ASSERT_NEAR(control.bandwidth(), 400.0, 1e-9);
  script.loss();
  EXPECT_EQ(control.ssthresh(), 40);  // 400 * .1
  EXPECT_DOUBLE_EQ(control.cwnd(), 40.0);
}

TEST_F(ScriptedWestwood, KeepsTheSameThresholdAfterATimeout) {
  for (int i = 1; i <= 3; ++i) {
    script.now_ns = i * 100 * millisecond;
    script.ack(40);
  }
  control.on_timeout(script.event());
  EXPECT_EQ(control.ssthresh(), 40);
  EXPECT_DOUBLE_EQ(control.cwnd(), 1.0);
}

TEST_F(ScriptedWestwood, HasAThresholdOfTwoAtLeast) {
  script.now_ns = 1000 * millisecond;
  script.ack();  // one packet a second
  script.loss();
  EXPECT_EQ(control.ssthresh(), 2);
}

TEST_F(ScriptedWestwood, HalvesLikeRenoBeforeItHasMeasured) {
  script.loss();
  EXPECT_EQ(control.ssthresh(), 5);
}

}  // namespace
}  // namespace clift::tcp
