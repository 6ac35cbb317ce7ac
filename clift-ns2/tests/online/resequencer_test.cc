// Examples worked by hand.
#include "core/online/resequencer.h"

#include <gtest/gtest.h>

namespace clift {
namespace {

void expect_released(Resequencer& resequencer, const std::vector<Release>& expected) {
  const auto released = resequencer.take_released();
  ASSERT_EQ(released.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(released[i].packet, expected[i].packet) << i;
    EXPECT_EQ(released[i].time_ns, expected[i].time_ns) << i;
    EXPECT_EQ(released[i].delivered, expected[i].delivered) << i;
  }
}

TEST(Resequencer, LetsPacketsPassWhereOrderDoesNotMatter) {
  Resequencer resequencer({});
  resequencer.settle(1, 5, true);
  resequencer.settle(0, 9, true);
  expect_released(resequencer, {{1, 5, true}, {0, 9, true}});
}

TEST(Resequencer, HoldsPacketsUntilEarlierOnesAreSettled) {
  Resequencer resequencer({true, 0});
  resequencer.settle(1, 5, true);
  resequencer.settle(3, 6, true);
  expect_released(resequencer, {});
  resequencer.settle(0, 9, true);
  expect_released(resequencer, {{0, 9, true}, {1, 9, true}});
  resequencer.settle(2, 7, false);  // given up at 7
  expect_released(resequencer, {{2, 7, false}, {3, 9, true}});
  EXPECT_EQ(resequencer.next_expiry_ns(), never);
}

TEST(Resequencer, HoldsNoPacketLongerThanItMay) {
  Resequencer resequencer({true, 10});
  resequencer.settle(1, 5, true);
  resequencer.settle(2, 8, true);
  EXPECT_EQ(resequencer.next_expiry_ns(), 15);
  resequencer.expire(14);
  expect_released(resequencer, {});
  resequencer.expire(15);
  expect_released(resequencer, {{1, 15, true}});
  EXPECT_EQ(resequencer.next_expiry_ns(), 18);
  resequencer.settle(0, 17, true);
  expect_released(resequencer, {{0, 17, true}, {2, 17, true}});
  EXPECT_EQ(resequencer.next_expiry_ns(), never);
}

TEST(Resequencer, KnowsAheadThatAPacketWillHaveWaitedLongEnough) {
  Resequencer resequencer({true, 10});
  resequencer.settle(1, 5, true);
  resequencer.settle(0, 40, true);  // its arrival lies ahead of the hold time's end
  expect_released(resequencer, {{0, 40, true}, {1, 15, true}});
}

}  // namespace
}  // namespace clift
