// CoDel's control law, by hand; fates of many packets are compared in tests/ns2/test_disciplines.py.
#include "core/aqm/codel.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/aqm/offers.h"

namespace clift {

namespace {

// Times in ms at which drops or marks fall when 1000 packets arrive at 0 and one leaves every ms.
std::vector<Nanoseconds> signals(Ecn ecn) {
  CoDel codel{QueueLimits(), CoDelOptions()};
  for (int i = 0; i < 1000; ++i) codel.enqueue(packet_of(0, 1000, ecn));
  std::vector<Nanoseconds> times;
  QueuedPacket packet;
  for (Nanoseconds time = 0; times.size() < 7; ++time) {
    EXPECT_TRUE(codel.dequeue(time * ms, packet));
    if (packet.is_marked || !codel.dropped().empty()) times.push_back(time);
    codel.clear_dropped();
  }
  return times;
}

// Above the target from 5 ms on, for an interval until 105; then intervals of 100 / sqrt(n) ms from there: until 205,
// 275.7, 333.4, 383.4, 428.2, 469.0.
const std::vector<Nanoseconds> expected{105, 205, 276, 334, 384, 429, 469};

}  // namespace

TEST(CoDel, DropsAtTheTimesOfItsControlLaw) { EXPECT_EQ(signals(Ecn::not_ect), expected); }

TEST(CoDel, MarksAtTheSameTimes) { EXPECT_EQ(signals(Ecn::ect_0), expected); }

TEST(CoDel, BeginsTheNextEpisodeAtTheRateOfTheLast) {
  CoDel codel{QueueLimits(), CoDelOptions()};
  for (int i = 0; i < 500; ++i) codel.enqueue(packet_of(0, 1000));
  QueuedPacket packet;
  std::vector<Nanoseconds> times;
  const auto dequeue = [&](Nanoseconds time) {
    codel.dequeue(time * ms, packet);
    if (!codel.dropped().empty()) times.push_back(time);
    codel.clear_dropped();
  };
  // Five drops until 384 ms, one when the episode began: its rate was the fourth. Then the queue runs empty.
  for (Nanoseconds time = 0; time < 428; ++time) dequeue(time);
  while (codel.load().packets > 0) dequeue(428);
  times.clear();
  for (int i = 0; i < 500; ++i) codel.enqueue(packet_of(500 * ms, 1000));
  for (Nanoseconds time = 500; time < 700; ++time) dequeue(time);
  // At 505 the target is passed, at 605 an interval; count is 5 - 1 = 4: the next drop follows after 100 / sqrt(4) ms.
  ASSERT_GE(times.size(), 2U);
  EXPECT_EQ(times[0], 605);
  EXPECT_EQ(times[1], 655);
}

}  // namespace clift
