// Examples worked by hand. Slots stand 10 ns apart, are decoded after 3 ns, and carry 100 bytes; frames have one unit.
#include <gtest/gtest.h>

#include "core/online/link_layer.h"
#include "tests/online/driver.h"
#include "tests/rows.h"

namespace clift {
namespace {

LinkLayerOptions go_back(std::int64_t window, Nanoseconds rtt_ns = 25) {
  LinkLayerOptions options;
  options.recovery = Recovery::go_back;
  options.window = window;
  options.rtt_ns = options.timeout_ns = rtt_ns;
  return options;
}

void expect_times(const Played& played, const std::vector<Nanoseconds>& times_ns) {
  ASSERT_EQ(played.released.size(), times_ns.size());
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    const Release& release = played.released.at(static_cast<std::int64_t>(i));
    EXPECT_TRUE(release.delivered) << i;
    EXPECT_EQ(release.time_ns, times_ns[i]) << i;
  }
}

TEST(GoBack, SendsAgainAllThatFollowedAFailure) {
  // Unit 1 fails in slot 1, known at 35: slots 2 and 3 are discarded, and 4 begins with unit 1 again.
  const Played played = play_trace(go_back(8), even_slots(20, {1}), {{0, 400}, {0, 100}});
  expect_times(played, {63, 73});
}

TEST(GoBack, WaitsForItsWindow) {
  // Two frames under way: acknowledged at 25 and 35, so the next two go in slots 3 and 4.
  const Played played = play_trace(go_back(2), even_slots(20), {{0, 100}, {0, 100}, {0, 100}, {0, 100}});
  expect_times(played, {3, 13, 33, 43});
}

TEST(GoBack, SendsAgainAfterItsTimeout) {
  auto options = go_back(8);
  options.timeout_ns = 61;
  const Played played = play_trace(options, even_slots(20, {0}), {{0, 100}});
  expect_times(played, {73});
}

TEST(GoBack, GivesUpWhereItMust) {
  auto options = go_back(1);
  options.repetitions = 1;
  options.detection_delay_ns = 4;
  options.timeout_ns = 29;
  const Played played = play_trace(options, even_slots(20, {0, 3}), {{0, 100}, {0, 100}});
  ASSERT_EQ(played.released.size(), 2U);
  EXPECT_FALSE(played.released.at(0).delivered);
  EXPECT_EQ(played.released.at(0).time_ns, 34);
  EXPECT_EQ(played.released.at(1).time_ns, 63);  // the window opens at 30 + 4 + 25
}

TEST(GoBack, LosesAPacketOfWhichOneFrameIsGivenUp) {
  // Two frames, the first in an erased slot; the second arrives all the same, and the next packet after it.
  auto options = go_back(8);
  options.repetitions = 0;
  const Played played = play_trace(options, even_slots(20, {0}), {{0, 200}, {0, 100}});
  ASSERT_EQ(played.released.size(), 2U);
  EXPECT_FALSE(played.released.at(0).delivered);
  EXPECT_EQ(played.released.at(0).time_ns, 13);
  EXPECT_TRUE(played.released.at(1).delivered);
  EXPECT_EQ(played.released.at(1).time_ns, 23);
}

TEST(GoBack, DeliversInOrderWhateverComes) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    auto options = go_back(draw(random, 1, 9), draw(random, 0, 100));
    options.timeout_ns += draw(random, 0, 50);
    options.data = draw(random, 1, 4);
    options.repair = draw(random, 0, 2);
    const std::vector<PhyRow> rows = random_slots(random, 20'000, 0.1, 5, 5);
    const std::vector<Offer> offers = random_offers(random);
    const Played played = play_trace(options, rows, offers);
    ASSERT_EQ(played.released.size(), offers.size());
    Nanoseconds before_ns = 0;
    for (const auto& [packet, release] : played.released) {
      EXPECT_TRUE(release.delivered) << packet;
      EXPECT_GE(release.time_ns, before_ns) << packet;
      before_ns = release.time_ns;
    }
  }
}

}  // namespace
}  // namespace clift
