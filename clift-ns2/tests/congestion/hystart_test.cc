#include "core/tcp/congestion/hystart.h"

#include <gtest/gtest.h>

#include "tests/milliseconds.h"

namespace clift::tcp {
namespace {

// A round of `samples` acknowledgements, all with one RTT.
void round(HyStart& hystart, Nanoseconds rtt_ns, int samples = 8) {
  for (int i = 0; i < samples; ++i) hystart.on_ack(i == 0, rtt_ns);
}

TEST(HyStart, LeavesSlowStartWhenTheRttHasGrownByAnEighth) {
  // 80 ms / 8 = 10 ms (RFC 9406, section 4.2): 89 ms is too little, 90 ms enough.
  HyStart little(8), enough(8);
  round(little, 80 * ms);
  round(enough, 80 * ms);
  round(little, 90 * ms - 1);
  round(enough, 90 * ms);
  EXPECT_FALSE(little.conservative());
  EXPECT_TRUE(enough.conservative());
}

TEST(HyStart, BoundsTheThresholdBy4And16Ms) {
  HyStart low(8), high(8);
  round(low, 8 * ms);
  round(low, 12 * ms - 1);
  EXPECT_FALSE(low.conservative());
  round(low, 16 * ms);
  EXPECT_TRUE(low.conservative());
  round(high, 500 * ms);
  round(high, 516 * ms - 1);
  EXPECT_FALSE(high.conservative());
  round(high, 532 * ms);
  EXPECT_TRUE(high.conservative());
}

TEST(HyStart, WantsEightSamples) {
  HyStart hystart(8);
  round(hystart, 80 * ms);
  round(hystart, 200 * ms, 7);
  EXPECT_FALSE(hystart.conservative());
  hystart.on_ack(false, std::nullopt);  // an acknowledgement without a sample does not count
  EXPECT_FALSE(hystart.conservative());
  hystart.on_ack(false, 200 * ms);
  EXPECT_TRUE(hystart.conservative());
}

TEST(HyStart, HasNothingToCompareWithInTheFirstRound) {
  HyStart hystart(8);
  round(hystart, 80 * ms, 4);
  for (int i = 0; i < 20; ++i) hystart.on_ack(false, 300 * ms);
  EXPECT_FALSE(hystart.conservative());
}

TEST(HyStart, GrowsAQuarterAsFastWhenConservative) {
  HyStart hystart(8);
  EXPECT_DOUBLE_EQ(hystart.growth(2), 2.0);
  EXPECT_DOUBLE_EQ(hystart.growth(20), 8.0);  // L
  round(hystart, 80 * ms);
  round(hystart, 100 * ms);
  EXPECT_DOUBLE_EQ(hystart.growth(2), 0.5);
  EXPECT_DOUBLE_EQ(hystart.growth(20), 2.0);
}

TEST(HyStart, EndsAfterFiveConservativeRounds) {
  HyStart hystart(8);
  round(hystart, 80 * ms);
  round(hystart, 100 * ms);  // conservative from its eighth sample on: the first of the five
  for (int i = 2; i <= 5; ++i) {
    round(hystart, 100 * ms);
    EXPECT_FALSE(hystart.done()) << i;
  }
  hystart.on_ack(true, 100 * ms);
  EXPECT_TRUE(hystart.done());
}

TEST(HyStart, GoesBackToSlowStartWhenTheRttFallsAgain) {
  HyStart hystart(8);
  round(hystart, 80 * ms);
  round(hystart, 100 * ms);
  round(hystart, 99 * ms, 7);
  EXPECT_TRUE(hystart.conservative());
  hystart.on_ack(false, 101 * ms);
  EXPECT_FALSE(hystart.conservative());
  // And may find the queue later, then with five rounds of its own.
  round(hystart, 99 * ms);
  round(hystart, 112 * ms);
  EXPECT_TRUE(hystart.conservative());
  for (int i = 2; i <= 5; ++i) round(hystart, 112 * ms);
  EXPECT_FALSE(hystart.done());
}

}  // namespace
}  // namespace clift::tcp
