// Link layers whose queue drops what has waited longer than 5 ns. Slots stand 10 ns apart, are decoded after 3 ns, and
// carry 100 bytes.
#include <gtest/gtest.h>

#include "core/online/link_layer.h"
#include "tests/online/driver.h"

namespace clift {
namespace {

LinkLayerOptions impatient() {
  LinkLayerOptions options;
  options.framing = Framing::stream;
  options.rtt_ns = 25;
  options.queue.limits.time_ns = 5;
  return options;
}

LinkLayerOptions impatient_rlc() {
  LinkLayerOptions options = impatient();
  options.rlc = RlcOptions();
  options.rlc->poll_retransmit_ns = 60;
  options.rlc->reassembly_ns = 5;
  return options;
}

// Packets that have been dropped, and those that are delivered, by the times of their arrivals.
struct Impatient {
  std::vector<Nanoseconds> dropped;
  std::map<std::int64_t, Nanoseconds> delivered;  // by number
  UnitCounts units;
};

Impatient play_impatient(const LinkLayerOptions& options, const std::vector<PhyRow>& rows,
                      const std::vector<Offer>& offers) {
  TraceSlots slots(view(rows), 100);
  const auto layer = make_link_layer(options, slots);
  const Played played = play(*layer, offers);
  Impatient result;
  for (const DroppedPacket& drop : layer->ledger().discipline().dropped()) {
    result.dropped.push_back(drop.packet.arrival_ns);
  }
  for (const auto& [number, release] : played.released) {
    if (release.delivered) result.delivered.emplace(number, release.time_ns);
  }
  result.units = layer->units();
  return result;
}

TEST(DroppedLast, LeavesItsSlotEmpty) {
  // Slot 1 finds the packet of 1 too old; the packet of 19 has slot 2, and is the second that is pulled.
  const Impatient result = play_impatient(impatient(), even_slots(20), {{0, 100}, {1, 100}, {19, 100}});
  EXPECT_EQ(result.dropped, std::vector<Nanoseconds>{1});
  EXPECT_EQ(result.delivered, (Times{{0, 3}, {1, 23}}));
  EXPECT_EQ(result.units.data, 2);
}

TEST(DroppedLast, EndsABlock) {
  // The block of up to two data units ends with one: slot 1 carries its repair unit, which recovers slot 0.
  LinkLayerOptions options = impatient();
  options.data = 2;
  options.repair = 1;
  const Impatient result = play_impatient(options, even_slots(20, {0}), {{0, 100}, {1, 100}});
  EXPECT_EQ(result.dropped, std::vector<Nanoseconds>{1});
  EXPECT_EQ(result.delivered, (Times{{0, 13}}));
  EXPECT_EQ(result.units.data, 1);
  EXPECT_EQ(result.units.repair, 1);
}

TEST(DroppedLast, LetsASlidingWindowRepairEarly) {
  LinkLayerOptions options = impatient();
  options.sliding_window = SlidingWindowOptions{4, 3};
  const Impatient result = play_impatient(options, even_slots(20, {0}), {{0, 100}, {1, 100}});
  EXPECT_EQ(result.dropped, std::vector<Nanoseconds>{1});
  EXPECT_EQ(result.delivered, (Times{{0, 13}}));
}

TEST(DroppedLast, GivesItsSlotToARetransmission) {
  // Slot 0 is erased, which the sender knows at 25: slot 3 repeats it. The packet of 24 would have slot 4.
  LinkLayerOptions options = impatient();
  options.recovery = Recovery::repeat;
  const Impatient result = play_impatient(options, even_slots(20, {0}), {{0, 100}, {24, 100}});
  EXPECT_EQ(result.dropped, std::vector<Nanoseconds>{24});
  EXPECT_EQ(result.delivered, (Times{{0, 33}}));
  EXPECT_EQ(result.units.repeated, 1);
}

TEST(DroppedLast, DoesNotTakeRlcsAnswerBack) {
  // Segment 0 needs no poll, since the second packet is pulled with it, in slot 0: in slot 1 it is too old but has been
  // promised. Slot 1 is erased, and its poll ends at 70: slot 7 sends it again.
  const Impatient result = play_impatient(impatient_rlc(), even_slots(20, {1}), {{0, 100}, {0, 100}});
  EXPECT_TRUE(result.dropped.empty());
  EXPECT_EQ(result.delivered, (Times{{0, 3}, {1, 73}}));
}

TEST(DroppedLast, MakesRlcPoll) {
  // The third packet is too old when segment 1 is sent, in slot 1, so that segment has a poll. Without it, nobody would
  // miss the erased slot 1: as above, slot 7 sends it again.
  const Impatient result = play_impatient(impatient_rlc(), even_slots(20, {1}), {{0, 100}, {0, 100}, {0, 100}});
  EXPECT_EQ(result.dropped, std::vector<Nanoseconds>{0});
  EXPECT_EQ(result.delivered, (Times{{0, 3}, {1, 73}}));
}

TEST(DroppedLast, IsAnsweredWhenAPollTimerEnds) {
  // Slot 0 is erased; its poll ends at 60. The packet of 59 is pulled then, and carries the poll in slot 6, not segment
  // 0. Its arrival at 63 shows the gap: the report of 68 reaches the sender at 93, and slot 10 repeats segment 0.
  const Impatient result = play_impatient(impatient_rlc(), even_slots(20, {0}), {{0, 100}, {59, 100}});
  EXPECT_TRUE(result.dropped.empty());
  EXPECT_EQ(result.delivered, (Times{{0, 103}, {1, 103}}));
}

TEST(DroppedLast, IsSharedByNoPackedSlot) {
  // 60 bytes leave 40 in slot 0, which begins the second packet: it ends in slot 1. The third is too old there, where it
  // would have room.
  LinkLayerOptions options = impatient();
  options.packing = Packing::packed;
  const Impatient result = play_impatient(options, even_slots(20), {{0, 60}, {0, 60}, {0, 60}});
  EXPECT_EQ(result.dropped, std::vector<Nanoseconds>{0});
  EXPECT_EQ(result.delivered, (Times{{0, 3}, {1, 13}}));
  EXPECT_EQ(result.units.left_bytes, 80);
}

}  // namespace
}  // namespace clift
