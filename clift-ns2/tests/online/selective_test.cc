// Examples worked by hand. Slots stand 10 ns apart, are decoded after 3 ns, and carry 100 bytes.
#include <gtest/gtest.h>

#include "core/online/link_layer.h"
#include "tests/online/driver.h"
#include "tests/rows.h"

namespace clift {
namespace {

LinkLayerOptions with(Recovery recovery, Framing framing, Nanoseconds rtt_ns = 25) {
  LinkLayerOptions options;
  options.recovery = recovery;
  options.framing = framing;
  options.rtt_ns = rtt_ns;
  return options;
}

LinkLayerOptions coded(Recovery recovery, Framing framing, std::int64_t data, std::int64_t repair) {
  LinkLayerOptions options = with(recovery, framing);
  options.data = data;
  options.repair = repair;
  return options;
}

TEST(Selective, SendsAPacketUnitByUnit) {
  const Played played = play_trace(with(Recovery::none, Framing::stream), even_slots(10), {{0, 250}, {5, 100}});
  expect_release(played, 0, 23);
  expect_release(played, 1, 33);
  EXPECT_EQ(played.departed.at(0), 20);
  EXPECT_EQ(played.departed.at(1), 30);
  EXPECT_EQ(played.wakes, 0);
}

TEST(Selective, LeavesSlotsUnusedWhileThereIsNothingToSend) {
  const Played played = play_trace(with(Recovery::none, Framing::stream), even_slots(10), {{0, 100}, {41, 100}, {50, 100}});
  expect_release(played, 0, 3);
  expect_release(played, 1, 53);
  expect_release(played, 2, 63);
}

TEST(Selective, GivesUpAPacketOneOfWhoseUnitsIsErased) {
  auto options = with(Recovery::none, Framing::stream);
  options.detection_delay_ns = 7;
  const Played played = play_trace(options, even_slots(10, {1}), {{0, 300}, {0, 100}});
  expect_release(played, 0, 23, false);  // unit 1 is given up at 17, the last unit arrives at 23
  expect_release(played, 1, 33);
}

TEST(Selective, RepeatsAnErasedUnitBeforeNewOnes) {
  // Slot 1 is erased, known at 10 + 25: slot 4 repeats it; packet 1 has slots 2, 3 and 5.
  const Played played = play_trace(with(Recovery::repeat, Framing::stream), even_slots(10, {1}), {{0, 200}, {0, 300}});
  expect_release(played, 0, 43);
  expect_release(played, 1, 53);
}

TEST(Selective, RepeatsWhenNothingElseIsToBeSent) {
  // Slot 0 is erased and reported at 25; a packet that comes at 12 goes first, one that comes at 26 waits.
  const auto rows = even_slots(10, {0});
  const auto options = with(Recovery::repeat, Framing::stream);
  const Played alone = play_trace(options, rows, {{0, 100}});
  expect_release(alone, 0, 33);
  EXPECT_EQ(alone.wakes, 1);
  const Played among = play_trace(options, rows, {{0, 100}, {12, 100}, {26, 100}});
  expect_release(among, 1, 23);
  expect_release(among, 0, 33);
  expect_release(among, 2, 43);
}

TEST(Selective, StopsRepeatingWhereItMust) {
  auto options = with(Recovery::repeat, Framing::stream);
  options.repetitions = 1;
  const Played played = play_trace(options, even_slots(10, {0, 3}), {{0, 100}});
  expect_release(played, 0, 30, false);
}

TEST(Selective, KeepsOpenWhatTheEndOfTheTraceCutsShort) {
  const Played played = play_trace(with(Recovery::repeat, Framing::stream), even_slots(3, {0}), {{0, 100}, {0, 100}});
  EXPECT_EQ(played.released.count(0), 0U);
  expect_release(played, 1, 13);
}

TEST(Selective, RecoversErasedUnitsWithTheArrivalThatSuffices) {
  // Blocks of 2 + 1: slots 0 and 1 carry data of packets 0 and 1, slot 2 repair; slot 0 is erased.
  const auto options = coded(Recovery::none, Framing::stream, 2, 1);
  const Played played = play_trace(options, even_slots(10, {0}), {{0, 100}, {0, 100}});
  expect_release(played, 0, 23);
  expect_release(played, 1, 13);
}

TEST(Selective, ShortensABlockForWhichDataAreMissing) {
  // One unit of data of two: the repair follows in the next slot, where nothing else waits.
  const auto options = coded(Recovery::none, Framing::stream, 2, 1);
  const Played played = play_trace(options, even_slots(10, {0}), {{0, 100}, {11, 100}});
  expect_release(played, 0, 13);
  expect_release(played, 1, 23);
  // A packet that comes in time for the next slot still joins the block.
  const Played joined = play_trace(options, even_slots(10, {0}), {{0, 100}, {10, 100}});
  expect_release(joined, 0, 23);
  expect_release(joined, 1, 13);
}

TEST(Selective, InterleavesBlocks) {
  // Two blocks of 1 + 1: slots 0 and 1 carry data, 2 and 3 repair; slots 0 and 3 are erased.
  auto options = with(Recovery::none, Framing::stream);
  options.repair = 1;
  options.depth = 2;
  const Played played = play_trace(options, even_slots(10, {0, 3}), {{0, 100}, {0, 100}});
  expect_release(played, 0, 23);
  expect_release(played, 1, 13);
  // Slots 0 and 2 are those of block 0: it is given up when the last slot of both has been sent.
  expect_release(play_trace(options, even_slots(10, {0, 2}), {{0, 100}, {0, 100}}), 0, 30, false);
}

TEST(Selective, AsksForWhatABlockLacks) {
  // A block of 2 + 1 in slots 0 to 2, of which 0 and 2 are erased: 1 + 1 more, due at 20 + 25, in slots 5 and 6.
  auto options = coded(Recovery::extend, Framing::stream, 2, 1);
  options.repetitions = 1;
  const std::vector<Offer> offers = {{0, 100}, {0, 100}, {0, 100}, {0, 100}, {0, 100}};
  const Played played = play_trace(options, even_slots(20, {0, 2}), offers);
  expect_release(played, 0, 53);  // the second arrival of the block
  expect_release(played, 1, 13);
  expect_release(played, 2, 33);
  expect_release(played, 3, 43);
  expect_release(played, 4, 83);  // slots 5 and 6 interrupt, 7 is the second block's repair
  expect_release(play_trace(options, even_slots(20, {0, 2, 5, 6}), offers), 0, 60, false);
}

TEST(Selective, SendsAFrameAsAWhole) {
  // Frames of 2 + 1 units. The first one loses slots 0 and 1, ends at 20 and is due at 45, while the packet's second
  // frame is under way in slots 3 to 5: it has slots 6 to 8.
  const auto options = coded(Recovery::repeat, Framing::packet, 2, 1);
  const Played played = play_trace(options, even_slots(20, {0, 1}), {{0, 400}, {0, 200}});
  expect_release(played, 0, 83);
  expect_release(played, 1, 113);
}

TEST(Selective, DecodesAFrameWhenAllOfItIsThere) {
  const auto options = coded(Recovery::repeat, Framing::packet, 2, 1);
  const Played played = play_trace(options, even_slots(20, {2}), {{0, 200}});
  expect_release(played, 0, 20);  // both data units are there at 13; the frame ends at 20
}

TEST(Selective, ForgetsAFailedTrial) {
  // Trial 1 keeps unit 0, trial 2 (slots 5 to 7) keeps unit 1: neither has two of three.
  auto options = coded(Recovery::repeat, Framing::packet, 2, 1);
  options.repetitions = 1;
  expect_release(play_trace(options, even_slots(20, {1, 2, 5, 7}), {{0, 200}}), 0, 70, false);
}

TEST(Selective, SendsAShortPacketInAShortFrame) {
  const auto options = coded(Recovery::repeat, Framing::packet, 4, 1);
  const Played played = play_trace(options, even_slots(20), {{0, 150}, {0, 100}});
  EXPECT_EQ(played.departed.at(0), 10);
  EXPECT_EQ(played.departed.at(1), 30);  // slot 2 is the first frame's redundancy
  expect_release(played, 0, 23);
}

TEST(Selective, SettlesEveryPacketWhateverComes) {
  Random random(7);
  for (int trial = 0; trial < repeats(60); ++trial) {
    SCOPED_TRACE(trial);
    auto options = with(chance(random, 0.5) ? Recovery::repeat : Recovery::extend,
                        chance(random, 0.5) ? Framing::stream : Framing::packet, draw(random, 0, 100));
    options.data = draw(random, 1, 5);
    options.repair = draw(random, 0, 3);
    options.repetitions = draw(random, 0, 4);
    options.extra = draw(random, 0, 2);
    options.resequencer = {chance(random, 0.5), draw(random, 0, 60)};
    const std::vector<PhyRow> rows = random_slots(random, 4000, 0.2, 1, 40);
    const std::vector<Offer> offers = random_offers(random);
    const Played played = play_trace(options, rows, offers);
    ASSERT_FALSE(played.stopped);
    EXPECT_EQ(played.released.size(), offers.size());
    EXPECT_EQ(played.departed.size(), offers.size());
    for (const auto& [packet, release] : played.released) {
      EXPECT_GE(release.time_ns, offers[static_cast<std::size_t>(packet)].time_ns);
    }
  }
}

}  // namespace
}  // namespace clift
