// Examples worked by hand. Slots stand 10 ns apart, are decoded after 3 ns, and carry 100 bytes; the RTT is 25 ns.
#include <gtest/gtest.h>

#include "core/online/link_layer.h"
#include "tests/numbers.h"
#include "tests/online/driver.h"
#include "tests/rows.h"

namespace clift {
namespace {

LinkLayerOptions with(std::int64_t processes) {
  LinkLayerOptions options;
  options.framing = Framing::stream;
  options.repetitions = -1;
  options.rtt_ns = 25;
  options.harq_processes = HarqProcessesOptions{};
  options.harq_processes->processes = processes;
  return options;
}

struct Result {
  Played played;
  UnitCounts units;
};

Result play_all(const LinkLayerOptions& options, const std::vector<PhyRow>& rows, const std::vector<Offer>& offers) {
  TraceSlots slots(view(rows), 100);
  const auto layer = make_link_layer(options, slots);
  Played played = play(*layer, offers);
  return {std::move(played), layer->units()};
}

using Moments = std::vector<Nanoseconds>;

// A delivered packet has the time of its release; a lost one has it, negative.
Moments times(const Result& result) {
  Moments found;
  for (const auto& [packet, release] : result.played.released) {
    EXPECT_EQ(packet, static_cast<std::int64_t>(found.size()));
    found.push_back(release.delivered ? release.time_ns : -release.time_ns);
  }
  return found;
}

TEST(HarqProcesses, StallsUntilAProcessIsFree) {
  // The only process: slot 0 is decoded at 3 and its feedback arrives at 28, so slots 1 and 2 stall; and so on.
  const Result one = play_all(with(1), even_slots(20), {{0, 100}, {0, 100}, {0, 100}});
  EXPECT_EQ(times(one), (Moments{3, 33, 63}));
  EXPECT_EQ(one.units.stalled, 4);
  // Two processes send in slots 0, 1, 3, 4, 6.
  const Result two = play_all(with(2), even_slots(20), {{0, 500}});
  EXPECT_EQ(times(two), (Moments{63}));
  EXPECT_EQ(two.units.stalled, 2);
}

TEST(HarqProcesses, SendsInEverySlotWithEnoughProcesses) {
  const Result result = play_all(with(3), even_slots(20), {{0, 900}});
  EXPECT_EQ(times(result), (Moments{83}));
  EXPECT_EQ(result.units.stalled, 0);
}

TEST(HarqProcesses, LeavesProcessesFreeWithoutPackets) {
  // The process is busy until 28; the slots from 40 on pass without packets, which is no stall.
  const Result result = play_all(with(1), even_slots(20), {{0, 100}, {12, 100}, {101, 100}});
  EXPECT_EQ(times(result), (Moments{3, 33, 113}));
  EXPECT_EQ(result.units.stalled, 1);  // slot 2
  EXPECT_EQ(result.played.departed.at(1), 30);
}

TEST(HarqProcesses, RetransmitsInTheFirstSlotAfterTheNack) {
  // Slot 0 is erased, known at 25: slot 3. Packets 3 and 4 have slots 4 and 5, where processes are free again.
  const Result result = play_all(with(4), even_slots(20, {0}), std::vector<Offer>(5, {0, 100}));
  EXPECT_EQ(times(result), (Moments{33, 13, 23, 43, 53}));
  EXPECT_EQ(result.units.repeated, 1);
}

TEST(HarqProcesses, RetransmitsWhenNothingElseIsToBeSent) {
  // Slot 0 is erased. The packet of 12 has slot 2, before the NACK at 25; that of 26 waits for slot 3's retransmission,
  // and for the process of slot 2, which is free at 48.
  const Result result = play_all(with(2), even_slots(20, {0}), {{0, 100}, {12, 100}, {26, 100}});
  EXPECT_EQ(times(result), (Moments{33, 23, 53}));
  EXPECT_EQ(result.units.stalled, 1);  // slot 4
  EXPECT_EQ(play_all(with(2), even_slots(20, {0}), {{0, 100}}).played.wakes, 1);
}

TEST(HarqProcesses, FreesAProcessAtOnceWithoutRoundTrip) {
  // An erased slot is known at once, so its process is free in the next one.
  auto options = with(1);
  options.rtt_ns = 0;
  options.repetitions = 0;
  const std::vector<PhyRow> rows = {{0, 0}, {1, 3}, {2, 3}, {4, 3}, {5, 3}};
  // Slot 0 loses packet 0; packet 1 has slot 1 and occupies the process until 4.
  EXPECT_EQ(times(play_all(options, rows, std::vector<Offer>(3, {0, 100}))), (Moments{0, 4, 7}));
}

TEST(HarqProcesses, GivesUpAfterTheLastTransmission) {
  auto options = with(1);
  options.repetitions = 1;
  options.detection_delay_ns = 4;
  // The NACK of slot 0 arrives at 29; the feedback of slot 3 at 30 + 29 frees the process for slot 6.
  const Result result = play_all(options, even_slots(20, {0, 3}), {{0, 100}, {0, 100}});
  EXPECT_EQ(times(result), (Moments{-34, 63}));
}

TEST(HarqProcesses, RetransmitsInSlotsOfTheSameProcess) {
  auto options = with(4);
  options.harq_processes->synchronous = true;
  // Process 0 has slots 0 and 4, process 1 has slots 1 and 5.
  const Result result = play_all(options, even_slots(20, {0}), std::vector<Offer>(5, {0, 100}));
  EXPECT_EQ(times(result), (Moments{43, 13, 23, 33, 53}));
  EXPECT_EQ(result.units.stalled, 0);
  // Two processes: slot 2 comes before the NACK at 25, so process 0 stalls there and retransmits in slot 4.
  options.harq_processes->processes = 2;
  const Result two = play_all(options, even_slots(20, {0}), std::vector<Offer>(3, {0, 100}));
  EXPECT_EQ(times(two), (Moments{43, 13, 53}));
  EXPECT_EQ(two.units.stalled, 2);  // slots 2 and 3
}

TEST(HarqProcesses, TellsTheProcessOfASlotByItsTime) {
  // Slots at 0, 10, 40, 50, 60 belong to processes 0, 1, 0, 1, 2 of four; slot 0 is erased.
  const std::vector<PhyRow> rows = {{0, 0}, {10, 3}, {40, 3}, {50, 3}, {60, 3}};
  auto options = with(4);
  options.harq_processes->synchronous = true;
  options.harq_processes->slot_time_ns = 10;
  EXPECT_EQ(times(play_all(options, rows, std::vector<Offer>(3, {0, 100}))), (Moments{43, 13, 53}));
}

TEST(HarqProcesses, RepeatsBlindly) {
  auto options = with(1);
  options.harq_processes->copies = 2;
  options.detection_delay_ns = 4;
  const Result result = play_all(options, even_slots(20, {0, 2, 3}), {{0, 100}, {0, 100}, {0, 100}, {101, 100}});
  EXPECT_EQ(times(result), (Moments{13, -34, 43, 113}));
  EXPECT_EQ(result.units.data, 4);
  EXPECT_EQ(result.units.repeated, 4);
  EXPECT_EQ(result.units.stalled, 0);
}

TEST(HarqProcesses, DeliversTheCopyThatIsDecodedFirst) {
  auto options = with(1);
  options.harq_processes->copies = 2;
  const std::vector<PhyRow> rows = {{0, 30}, {10, 5}, {20, 9}};
  EXPECT_EQ(times(play_all(options, rows, {{0, 100}, {0, 100}})), (Moments{15, 29}));  // the trace ends before its copy
}

TEST(HarqProcesses, KeepsOpenWhatTheEndOfTheTraceCutsShort) {
  EXPECT_EQ(times(play_all(with(2), even_slots(3, {0}), {{0, 100}})), Moments{});
  auto blind = with(1);
  blind.harq_processes->copies = 2;
  const Result result = play_all(blind, even_slots(1, {0}), {{0, 100}});
  EXPECT_EQ(times(result), Moments{});
  EXPECT_TRUE(result.played.stopped);
}

TEST(HarqProcesses, TakesMissingFeedbackForANack) {
  Numbers numbers(1);
  auto options = with(1);
  options.repetitions = 1;
  options.harq_processes->missed_feedback = 1.0;
  options.harq_processes->faults = numbers;
  // Packet 0 arrives in slot 0 and again in slot 3; its process is free at 58.
  const Result result = play_all(options, even_slots(20), {{0, 100}, {0, 100}});
  EXPECT_EQ(times(result), (Moments{3, 63}));
  EXPECT_EQ(result.units.repeated, 2);
}

TEST(HarqProcesses, LosesAUnitWhoseNackIsReadAsAnAck) {
  Numbers numbers(1);
  auto options = with(1);
  options.repetitions = 1;
  options.detection_delay_ns = 4;
  options.harq_processes->false_feedback = 1.0;
  options.harq_processes->faults = numbers;
  // Slot 0 is erased; packet 1 arrives in slot 3, and its ACK is read as a NACK.
  const Result result = play_all(options, even_slots(20, {0}), {{0, 100}, {0, 100}});
  EXPECT_EQ(times(result), (Moments{-4, 33}));
  EXPECT_EQ(result.units.repeated, 1);
}

TEST(HarqProcesses, SendsAtARate) {
  // A unit lasts 10 ns; its feedback arrives 25 ns after its end. Units begin at 0, 35 and 70.
  Numbers numbers(1);
  RateSlots slots(100, 10.0, {}, numbers);
  const auto layer = make_link_layer(with(1), slots);
  EXPECT_EQ(times({play(*layer, {{0, 300}}), {}}), (Moments{80}));
}

TEST(RateSlots, EndWithTime) {
  Numbers numbers(1);
  RateSlots slots(2'147'483'647, 1.7e19, {}, numbers);  // 1 bit/s: a unit takes longer than 2^63 ns
  EXPECT_EQ(slots.take(5).sent_ns, never);
  EXPECT_EQ(slots.next_tx_ns(6), never);
}

}  // namespace
}  // namespace clift
