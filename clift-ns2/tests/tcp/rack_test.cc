// RFC 8985, section 6, by hand: the round trip is 100 ms.
#include "core/tcp/rack.h"

#include <gtest/gtest.h>

#include "tests/milliseconds.h"

namespace clift::tcp {
namespace {

constexpr Nanoseconds rtt_ns = 100 * ms;

DeliveredPacket packet(std::int64_t sequence, std::int64_t transmission, Nanoseconds sent_ns,
                       bool is_retransmitted = false) {
  DeliveredPacket delivered{sequence, false, {}};
  delivered.packet.sent_ns = sent_ns;
  delivered.packet.transmission = transmission;
  delivered.packet.is_retransmitted = is_retransmitted;
  return delivered;
}

TEST(Rack, TakesAPacketForLostWhenALaterOneIsDelivered) {
  Rack rack;
  const SentPacket first = packet(0, 1, 0).packet;
  const SentPacket third = packet(2, 3, 20 * ms).packet;
  EXPECT_EQ(rack.deadline_ns(first, 0), never);
  rack.on_delivered({packet(1, 2, 10 * ms)}, 110 * ms, -1, rtt_ns);
  EXPECT_EQ(rack.deadline_ns(first, 0), 100 * ms);         // overdue
  EXPECT_EQ(rack.deadline_ns(first, 25 * ms), 125 * ms);   // may still come
  EXPECT_EQ(rack.deadline_ns(third, 25 * ms), never);      // was sent later
}

TEST(Rack, OpensTheWindowOnlyWhenPacketsOvertakeEachOther) {
  Rack rack;
  EXPECT_EQ(rack.reordering_window_ns(false, 2, rtt_ns, rtt_ns), 25 * ms);  // too few duplicate ACKs to be sure
  EXPECT_EQ(rack.reordering_window_ns(false, 3, rtt_ns, rtt_ns), 0);
  EXPECT_EQ(rack.reordering_window_ns(true, 1, rtt_ns, rtt_ns), 0);
  rack.on_delivered({packet(1, 2, 10 * ms)}, 110 * ms, -1, rtt_ns);
  EXPECT_FALSE(rack.reordering_seen());
  rack.on_delivered({packet(0, 1, 0)}, 115 * ms, -1, rtt_ns);
  EXPECT_TRUE(rack.reordering_seen());
  EXPECT_EQ(rack.reordering_window_ns(true, 3, rtt_ns, rtt_ns), 25 * ms);
}

TEST(Rack, MeasuresByHowManyPacketsOneWasOvertaken) {
  Rack rack;
  rack.on_delivered({packet(9, 10, 10 * ms)}, 110 * ms, -1, rtt_ns);
  rack.on_delivered({packet(8, 9, 9 * ms)}, 111 * ms, -1, rtt_ns);
  EXPECT_EQ(rack.reordering(), 3);  // at least the duplicate threshold
  rack.on_delivered({packet(2, 3, 3 * ms)}, 112 * ms, -1, rtt_ns);
  EXPECT_EQ(rack.reordering(), 7);
  rack.doubt_reordering(2);
  EXPECT_EQ(rack.reordering(), 7);
  rack.doubt_reordering(3);
  EXPECT_EQ(rack.reordering(), 3);
}

TEST(Rack, TakesNoRetransmissionForReordering) {
  Rack rack;
  rack.on_delivered({packet(1, 2, 10 * ms)}, 110 * ms, -1, rtt_ns);
  rack.on_delivered({packet(0, 3, 110 * ms, true)}, 210 * ms, -1, rtt_ns);
  EXPECT_FALSE(rack.reordering_seen());
}

TEST(Rack, DoesNotLearnFromACopyThatMayBeTheFirstOne) {
  Rack rack;
  rack.on_delivered({packet(5, 6, 50 * ms)}, 150 * ms, -1, rtt_ns);
  const SentPacket late = packet(6, 7, 60 * ms).packet;
  // Sent again at 140 ms and acknowledged 20 ms later: that was the first copy.
  rack.on_delivered({packet(0, 20, 140 * ms, true)}, 160 * ms, -1, rtt_ns);
  EXPECT_EQ(rack.deadline_ns(late, 0), never);
  // Long enough after, but the timestamp is the first copy's.
  DeliveredPacket cumulative = packet(1, 21, 140 * ms, true);
  cumulative.is_cumulative = true;
  rack.on_delivered({cumulative}, 260 * ms, 10 * ms, rtt_ns);
  EXPECT_EQ(rack.deadline_ns(late, 0), never);
  rack.on_delivered({cumulative}, 260 * ms, 140 * ms, rtt_ns);
  EXPECT_EQ(rack.deadline_ns(late, 0), 60 * ms + 120 * ms);
}

TEST(Rack, MeasuresTheRoundTripOfTheLastAckAlsoWhenItsPacketWasOvertaken) {
  Rack rack;
  const SentPacket waiting = packet(4, 5, 40 * ms).packet;
  rack.on_delivered({packet(5, 6, 50 * ms)}, 150 * ms, -1, rtt_ns);
  EXPECT_EQ(rack.deadline_ns(waiting, 0), 40 * ms + 100 * ms);
  rack.on_delivered({packet(3, 4, 30 * ms)}, 180 * ms, -1, rtt_ns);  // it took 150 ms
  EXPECT_EQ(rack.deadline_ns(waiting, 0), 40 * ms + 150 * ms);
  // Among the packets that one ACK delivers, the one sent last counts, at any place of the list.
  rack.on_delivered({packet(0, 8, 90 * ms, true), packet(2, 3, 20 * ms)}, 200 * ms, -1, rtt_ns);
  EXPECT_EQ(rack.deadline_ns(waiting, 0), 40 * ms + 110 * ms);
}

TEST(Rack, WidensTheWindowOnceARoundWithDsacks) {
  Rack rack;
  rack.note_reordering();
  rack.adapt_window(true, false, 10, 30);
  EXPECT_EQ(rack.window_multiple(), 2);
  rack.adapt_window(true, false, 20, 40);  // the round that began at 30 is not over
  EXPECT_EQ(rack.window_multiple(), 2);
  rack.adapt_window(true, false, 30, 50);
  EXPECT_EQ(rack.window_multiple(), 3);
  EXPECT_EQ(rack.reordering_window_ns(true, 5, rtt_ns, 2 * rtt_ns), 75 * ms);
  for (int i = 0; i < 10; ++i) rack.adapt_window(true, false, 100 + 10 * i, 110 + 10 * i);
  EXPECT_EQ(rack.reordering_window_ns(true, 5, rtt_ns, 2 * rtt_ns), 2 * rtt_ns);  // SRTT bounds it
}

TEST(Rack, ForgetsAfterSixteenRecoveriesWithoutDsack) {
  Rack rack;
  rack.adapt_window(true, false, 10, 30);
  for (int i = 0; i < 15; ++i) rack.adapt_window(false, true, 100, 110);
  EXPECT_EQ(rack.window_multiple(), 2);
  rack.adapt_window(false, true, 100, 110);
  EXPECT_EQ(rack.window_multiple(), 1);
}

}  // namespace
}  // namespace clift::tcp
