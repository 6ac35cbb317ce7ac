// Examples worked by hand, and live traffic beside a slow twin. Slots stand 10 ns apart, are decoded after 3 ns, and
// carry 100 bytes.
#include <gtest/gtest.h>

#include "core/online/link_layer.h"
#include "tests/online/driver.h"
#include "tests/online/rlc_twin.h"
#include "tests/rows.h"

namespace clift {
namespace {

LinkLayerOptions rlc(Nanoseconds rtt_ns = 25) {
  LinkLayerOptions options;
  options.framing = Framing::stream;
  options.rtt_ns = rtt_ns;
  options.rlc = RlcOptions();
  options.rlc->poll_retransmit_ns = 60;
  options.rlc->reassembly_ns = 5;
  return options;
}

TEST(Rlc, PollsWithTheLastSegmentInTheQueue) {
  // Segment 1 (slot 1) is erased. Segment 2, the last one, arrives at 23: the timer runs until 28, and the report
  // reaches the sender at 53. Slot 6 retransmits segment 1, with a poll. The packets behind it wait until 63.
  const Played played = play_trace(rlc(), even_slots(20, {1}), {{0, 100}, {0, 100}, {0, 100}});
  expect_release(played, 0, 3);
  expect_release(played, 1, 63);
  expect_release(played, 2, 63);
}

TEST(Rlc, SendsTheLastSegmentAgainIfNoReportAnswersItsPoll) {
  // Slot 0 is erased: no gap shows that. t-PollRetransmit ends at 60, so slot 6 sends the segment again.
  const auto rows = even_slots(20, {0});
  const Played alone = play_trace(rlc(), rows, {{0, 100}});
  expect_release(alone, 0, 63);
  // A packet that arrives at 12 has slot 2, with a poll that ends at 80. It makes no gap, either: RX_Next_Highest is
  // RX_Next + 2 when it arrives at 23, so the timer runs until 28, and the report of 53 lets slot 6 repeat segment 0.
  const Played followed = play_trace(rlc(), rows, {{0, 100}, {12, 100}});
  expect_release(followed, 0, 63);
  expect_release(followed, 1, 63);
}

TEST(Rlc, DoesNotPollWhileTheQueueHoldsMore) {
  // The packet arrives in the slot of segment 0, which needs no poll then: slot 1 is erased, and its poll, which ends
  // at 70, is the only one. Slot 7 sends segment 1 again.
  const auto rows = even_slots(20, {1});
  const Played played = play_trace(rlc(), rows, {{0, 100}, {0, 100}});
  expect_release(played, 0, 3);
  expect_release(played, 1, 73);
}

TEST(Rlc, WaitsForItsWindow) {
  // Two segments may be under way: the poll of segment 1 is answered at 13, which the sender knows at 38. So segments
  // 2 and 3 have slots 4 and 5.
  auto options = rlc();
  options.rlc->window = 2;
  const Played played = play_trace(options, even_slots(20), {{0, 400}});
  expect_release(played, 0, 53);
}

TEST(Rlc, AnswersAWaitingPollAndAGapInOneReport) {
  // Slots 0, 2 and 3 are erased. The poll of segment 1, the second new one, arrives at 13 and waits for the timer of the
  // gap, until 18: one report answers both, and lets slot 2 repeat segment 0. The next report may leave at 48, but
  // nothing asks for one.
  auto options = rlc(0);
  options.rlc->status_prohibit_ns = 30;
  options.rlc->window = 3;
  options.rlc->poll_pdus = 2;
  options.rlc->max_retransmissions = 1;
  const Played played = play_trace(options, even_slots(5, {0, 2, 3}), {{0, 500}});
  EXPECT_EQ(played.released.count(0), 0U);
}

TEST(Rlc, GivesUpAfterTheLastRetransmission) {
  // As in the first example, but slot 6 is erased, too. The report of its poll, at 60 + 60, does not come: t-Reassembly
  // ended at 28 without another gap. Slot 12 sends segment 2 again, with a poll; its report of 123 gives up segment 1
  // at 148.
  auto options = rlc();
  options.rlc->max_retransmissions = 1;
  const Played played = play_trace(options, even_slots(30, {1, 6}), {{0, 100}, {0, 100}, {0, 100}});
  expect_release(played, 0, 3);
  expect_release(played, 1, 148, false);
  expect_release(played, 2, 148);
}

TEST(Rlc, GivesUpWhenTheTimerEndsInUnacknowledgedMode) {
  // Segment 2 arrives at 23; at 28 segment 1 is given up, and segment 2 delivered. The last segment, in slot 3, is
  // erased: nothing tells the receiver.
  auto options = rlc();
  options.rlc->acknowledged = false;
  const Played played = play_trace(options, even_slots(20, {1, 3}), {{0, 100}, {0, 100}, {0, 100}, {0, 100}});
  expect_release(played, 0, 3);
  expect_release(played, 1, 28, false);
  expect_release(played, 2, 28);
  EXPECT_EQ(played.released.count(3), 0U);
}

TEST(Rlc, SettlesItsSegmentsAfterTheLastSlot) {
  // Slots 0 and 1 only: segment 1 arrives at 13, behind the trace's end.
  const Played played = play_trace(rlc(), even_slots(2), {{0, 100}, {0, 100}, {0, 100}});
  expect_release(played, 1, 13);
  EXPECT_EQ(played.released.count(2), 0U);
  EXPECT_TRUE(played.stopped);
}

TEST(Rlc, WakesOnceForEachPollOverALinkThatLosesEverything) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < 1000; ++i) all.push_back(i);
  const Played played = play_trace(rlc(), even_slots(1000, all), {{0, 5000}}, 900);
  EXPECT_TRUE(played.released.empty());
  EXPECT_LE(played.wakes, 40);
}

LinkLayerOptions rlc_over_harq_processes() {
  auto options = rlc();
  options.harq_processes = HarqProcessesOptions();
  options.repetitions = 1;
  return options;
}

TEST(Rlc, TakesFromHarqWhatItRetransmits) {
  // Slot 1 is erased: its process hears that at 35, and slot 4 carries segment 1 again. The report of 28 NACKs it all
  // the same, and the duplicate of slot 6 changes nothing.
  const Played played = play_trace(rlc_over_harq_processes(), even_slots(20, {1}), {{0, 100}, {0, 100}, {0, 100}});
  expect_release(played, 0, 3);
  expect_release(played, 1, 43);
  expect_release(played, 2, 43);
}

TEST(Rlc, RepairsWhatHarqGivesUp) {
  // Slots 1 and 4 are erased, and HARQ gives up; the report of 28 reaches the sender at 53, so slot 6 repeats segment 1.
  const Played played = play_trace(rlc_over_harq_processes(), even_slots(20, {1, 4}), {{0, 100}, {0, 100}, {0, 100}});
  expect_release(played, 0, 3);
  expect_release(played, 1, 63);
  expect_release(played, 2, 63);
}

TEST(Rlc, WaitsForAProcess) {
  // Two processes are busy until 28 and 38: the third segment has slot 3, the fourth slot 4. A poll goes with the last
  // segment only, and the report of it changes nothing.
  auto options = rlc_over_harq_processes();
  options.harq_processes->processes = 2;
  const Played played = play_trace(options, even_slots(20), {{0, 400}});
  EXPECT_EQ(played.departed.at(0), 40);
  expect_release(played, 0, 43);
}

TEST(Rlc, AddsOnlyOrderToHarqThatRepairsEverything) {
  // Without timers that end and without limits, the packets have the times of HARQ processes and a resequencer.
  Random random(17);
  for (int trial = 0; trial < repeats(20); ++trial) {
    SCOPED_TRACE(trial);
    LinkLayerOptions harq;
    harq.framing = Framing::stream;
    harq.rtt_ns = draw(random, 0, 120);
    harq.detection_delay_ns = draw(random, 0, 20);
    harq.resequencer.in_order = true;
    harq.harq_processes = HarqProcessesOptions();
    harq.harq_processes->processes = draw(random, 1, 20);
    harq.harq_processes->synchronous = chance(random, 0.3);
    harq.harq_processes->combining = static_cast<Combining>(draw(random, 0, 2));
    auto above = harq;
    above.resequencer.in_order = false;
    above.rlc = RlcOptions();
    above.rlc->acknowledged = chance(random, 0.5);
    above.rlc->poll_retransmit_ns = above.rlc->reassembly_ns = 1'000'000;
    const std::vector<PhyRow> rows = random_slots(random, 2000, 0.1, 1, 60);
    const std::vector<Offer> offers = random_offers(random);
    std::vector<std::int32_t> es_n0_mdb;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      es_n0_mdb.push_back(static_cast<std::int32_t>(draw(random, -9000, 3000)));
    }
    const SlotsWithEsN0 file(rows, es_n0_mdb);
    TraceSlots slots(file.view(), 100), same_slots(file.view(), 100);
    const Played expected = play(*make_link_layer(harq, slots), offers);
    const Played played = play(*make_link_layer(above, same_slots), offers);
    ASSERT_EQ(expected.released.size(), offers.size());
    ASSERT_EQ(played.released.size(), offers.size());
    for (const auto& [packet, release] : expected.released) {
      ASSERT_EQ(played.released.at(packet).time_ns, release.time_ns) << packet;
    }
  }
}

LinkLayerOptions drawn_lower_scheme(Random& random, std::int64_t kind) {
  LinkLayerOptions options;
  options.framing = Framing::stream;
  options.rtt_ns = draw(random, 0, 120);
  options.detection_delay_ns = draw(random, 0, 20);
  if (kind == 0) {
    options.recovery = Recovery::repeat;
  } else if (kind == 1) {
    options.recovery = Recovery::extend;
    options.data = draw(random, 1, 8);
    options.repair = draw(random, 0, 2);
    options.extra = draw(random, 0, 2);
  } else if (kind == 2) {
    options.data = draw(random, 1, 8);
    options.repair = draw(random, 1, 4);
    options.depth = draw(random, 1, 3);
  } else if (kind == 3) {
    options.sliding_window = SlidingWindowOptions{draw(random, 1, 20), draw(random, 1, 5)};
  } else {
    options.sliding_window = SlidingWindowOptions{draw(random, 1, 20), draw(random, 1, 5), true};
  }
  return options;
}

TEST(Rlc, AddsOnlyOrderToASchemeThatRepairsEverything) {
  // As above for ARQ, HARQ, FEC, the sliding window and Tetrys, whose counts of units are the same, too. FEC and the
  // sliding window lose units: the first packet that is lost, or stays in flight, holds up all later ones.
  Random random(23);
  std::size_t compared = 0;
  for (int trial = 0; trial < repeats(40); ++trial) {
    SCOPED_TRACE(trial);
    const int kind = trial % 5;
    const bool loses = kind == 2 || kind == 3;
    LinkLayerOptions below = drawn_lower_scheme(random, kind);
    auto above = below;
    below.resequencer.in_order = true;
    above.rlc = RlcOptions();
    above.rlc->acknowledged = chance(random, 0.5);
    above.rlc->poll_retransmit_ns = above.rlc->reassembly_ns = 1'000'000;
    const std::vector<PhyRow> rows = random_slots(random, 2000, loses ? 0.02 : 0.1, 1, 60);
    const std::vector<Offer> offers = random_offers(random);
    const Nanoseconds end_ns = rows.back().tx_time_ns;
    TraceSlots slots_below(view(rows), 100), slots(view(rows), 100);
    const auto expected_layer = make_link_layer(below, slots_below), layer = make_link_layer(above, slots);
    const Played expected = play(*expected_layer, offers, end_ns), played = play(*layer, offers, end_ns);
    for (std::int64_t packet = 0; packet < static_cast<std::int64_t>(offers.size()); ++packet, ++compared) {
      const auto release = expected.released.find(packet);
      if (release == expected.released.end() || !release->second.delivered) break;
      expect_release(played, packet, release->second.time_ns);
    }
    if (!loses) {
      EXPECT_EQ(played.released.size(), offers.size());
    }
    EXPECT_EQ(layer->units().data, expected_layer->units().data);
    EXPECT_EQ(layer->units().repair, expected_layer->units().repair);
    EXPECT_EQ(layer->units().repeated, expected_layer->units().repeated);
    EXPECT_EQ(layer->units().erased, expected_layer->units().erased);
  }
  EXPECT_GT(compared, 1'300U);
}

TEST(Rlc, DeliversEverythingAboveASchemeThatLoses) {
  // Small windows and short timers: the scheme below idles while packets wait, and segments are sent several times.
  Random random(29);
  for (int trial = 0; trial < repeats(40); ++trial) {
    SCOPED_TRACE(trial);
    LinkLayerOptions options = drawn_lower_scheme(random, trial % 5);
    options.repetitions = draw(random, 0, 2);
    options.packing = chance(random, 0.3) ? Packing::packed : Packing::padded;
    options.rlc = RlcOptions();
    options.rlc->in_order = chance(random, 0.5);
    options.rlc->max_retransmissions = 1000;
    options.rlc->window = chance(random, 0.5) ? draw(random, 1, 8) : 2048;
    options.rlc->poll_pdus = draw(random, 1, 20);
    options.rlc->poll_retransmit_ns = draw(random, 1, 400);
    options.rlc->reassembly_ns = draw(random, 0, 60);
    options.rlc->status_prohibit_ns = chance(random, 0.5) ? draw(random, 0, 100) : 0;
    const std::vector<Offer> offers = random_offers(random);
    const Played played = play_trace(options, random_slots(random, 40'000, 0.15, 1, 60), offers, 400'000);
    ASSERT_EQ(played.released.size(), offers.size());
    Nanoseconds last_ns = 0;
    for (const auto& [packet, release] : played.released) {
      EXPECT_TRUE(release.delivered);
      EXPECT_TRUE(!options.rlc->in_order || release.time_ns >= last_ns);
      last_ns = release.time_ns;
    }
  }
}

TEST(Rlc, RepairsWhatFecLoses) {
  // Blocks of 2 + 1 units: slots 0 and 1 lose segments 0 and 1, and the repair unit of slot 2 does not help. Segment 2
  // has slot 3, and its block ends with a repair unit in slot 4. It arrives at 33, and t-Reassembly ends at 38: the
  // report is there at 63. Slots 7 and 8 repeat both segments, whose repair unit has slot 9.
  auto options = rlc();
  options.data = 2;
  options.repair = 1;
  const Played played = play_trace(options, even_slots(20, {0, 1}), {{0, 100}, {0, 100}, {0, 100}});
  expect_release(played, 0, 73);
  expect_release(played, 1, 83);
  expect_release(played, 2, 83);
}

TEST(Rlc, LetsTetrysRepairWhatItCarries) {
  // W = 2, k = 4. Slot 1 is erased, which the sender knows at 35. The window is full until then: at 28 the sender knows
  // that segment 0 has arrived, so slot 3 carries segment 2, and slot 4 a requested repair unit, which arrives at 43.
  auto options = rlc();
  options.sliding_window = SlidingWindowOptions{2, 4, true};
  options.rlc->reassembly_ns = 1000;
  options.rlc->poll_retransmit_ns = 5000;
  const Played played = play_trace(options, even_slots(20, {1}), {{0, 100}, {0, 100}, {0, 100}});
  expect_release(played, 0, 3);
  expect_release(played, 1, 43);
  expect_release(played, 2, 43);
}

TEST(Rlc, EndsABlockBelowUnlessASegmentArrivesInTime) {
  // Blocks of 2 + 1 units. The packet of time 10 joins the block; that of time 11 comes too late: slot 1 has carried
  // the repair unit. So slot 1 and slot 2 recover or carry segment 1.
  auto options = rlc();
  options.data = 2;
  options.repair = 1;
  const auto rows = even_slots(20, {0});
  const Played joined = play_trace(options, rows, {{0, 100}, {10, 100}});
  expect_release(joined, 0, 23);
  expect_release(joined, 1, 23);
  const Played late = play_trace(options, rows, {{0, 100}, {11, 100}});
  expect_release(late, 0, 13);
  expect_release(late, 1, 23);
}

TEST(Rlc, EqualsItsSlowTwinOnLiveTraffic) {
  Random random(7);
  for (int trial = 0; trial < repeats(40); ++trial) {
    SCOPED_TRACE(trial);
    auto options = rlc(draw(random, 0, 120));
    options.rlc->acknowledged = chance(random, 0.8);
    options.rlc->in_order = !options.rlc->acknowledged || chance(random, 0.5);
    options.rlc->max_retransmissions = draw(random, 0, 4);
    options.rlc->window = chance(random, 0.5) ? draw(random, 1, 8) : 2048;
    options.rlc->poll_pdus = draw(random, 1, 20);
    options.rlc->poll_retransmit_ns = draw(random, 1, 400);
    options.rlc->reassembly_ns = draw(random, 0, 60);
    options.rlc->status_prohibit_ns = chance(random, 0.5) ? draw(random, 0, 100) : 0;
    const std::vector<PhyRow> rows = random_slots(random, 1500, chance(random, 0.2) ? 0.5 : 0.1, 1, 60);
    const std::vector<Offer> offers = random_offers(random);
    const Nanoseconds end_ns = rows.back().tx_time_ns + 2000;
    const Played played = play_trace(options, rows, offers, end_ns);
    RlcTwin twin(options, rows);
    const auto expected = twin.play(offers, end_ns);
    ASSERT_EQ(played.released.size(), expected.size());
    for (const auto& [packet, release] : expected) {
      ASSERT_EQ(played.released.count(packet), 1U) << packet;
      ASSERT_EQ(played.released.at(packet).time_ns, release.time_ns) << packet;
      ASSERT_EQ(played.released.at(packet).delivered, release.delivered) << packet;
    }
  }
}

}  // namespace
}  // namespace clift
