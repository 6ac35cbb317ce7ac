// The examples of RFC 2018, section 4, and RFC 2883, section 4, in packets.
#include "core/tcp/receiver.h"
#include "tests/milliseconds.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace clift::tcp {
namespace {

// A packet that arrives at its sending time and is acknowledged at once.
const Reply& arrive(Receiver& receiver, std::int64_t sequence, Nanoseconds time_ns) {
  const Reply& reply = receiver.on_packet({sequence, time_ns, time_ns});
  EXPECT_EQ(receiver.take_reply(time_ns), &reply);
  return reply;
}

using Blocks = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(Receiver, ReportsTheLatestBlockFirst) {
  // RFC 2018: 5000-5499 arrive as packet 0, every second packet of eight is lost: case 3.
  Receiver receiver;
  EXPECT_EQ(arrive(receiver, 0, 0).blocks, Blocks{});
  EXPECT_EQ(arrive(receiver, 2, 0).blocks, (Blocks{{2, 3}}));
  EXPECT_EQ(arrive(receiver, 4, 0).blocks, (Blocks{{4, 5}, {2, 3}}));
  EXPECT_EQ(arrive(receiver, 6, 0).blocks, (Blocks{{6, 7}, {4, 5}, {2, 3}}));
  EXPECT_EQ(receiver.next(), 1);
  // The fourth packet arrives late: it fills the hole between two blocks.
  EXPECT_EQ(arrive(receiver, 3, 0).blocks, (Blocks{{2, 5}, {6, 7}}));
  // The second packet arrives, too: the left edge moves to the next missing packet.
  const Reply& reply = arrive(receiver, 1, 0);
  EXPECT_EQ(reply.ack, 5);
  EXPECT_EQ(reply.blocks, (Blocks{{6, 7}}));
}

TEST(Receiver, ReportsADuplicateFirst) {
  // RFC 2883, 4.1: everything arrived, a retransmission comes again.
  Receiver receiver;
  for (int i = 0; i < 3; ++i) arrive(receiver, i, 0);
  EXPECT_EQ(arrive(receiver, 1, 0).blocks, (Blocks{{1, 2}}));
  // 4.1.2: beside a hole.
  arrive(receiver, 4, 0);
  EXPECT_EQ(arrive(receiver, 0, 0).blocks, (Blocks{{0, 1}, {4, 5}}));
  // 4.1.3: within a block, which follows it.
  arrive(receiver, 5, 0);
  EXPECT_EQ(arrive(receiver, 4, 0).blocks, (Blocks{{4, 5}, {4, 6}}));
  EXPECT_EQ(receiver.duplicates(), 3);
}

TEST(Receiver, FitsThreeBlocksBesideATimestamp) {
  Receiver receiver;
  for (int i = 1; i < 12; i += 2) arrive(receiver, i, 0);
  EXPECT_EQ(arrive(receiver, 3, 0).blocks, (Blocks{{3, 4}, {3, 4}, {11, 12}}));
}

TEST(Receiver, EchoesTheTimestampOfWhatItWaitedFor) {
  Receiver receiver;
  EXPECT_EQ(arrive(receiver, 0, 100).echo_ns, 100);
  EXPECT_EQ(arrive(receiver, 2, 120).echo_ns, 100);  // beyond a hole
  EXPECT_EQ(arrive(receiver, 1, 110).echo_ns, 110);
  EXPECT_EQ(arrive(receiver, 1, 300).echo_ns, 110);  // sent again: outside the window
  EXPECT_EQ(arrive(receiver, 2, 310).echo_ns, 310);  // tcp_sequence of Linux allows the last packet
}

// RFC 7323, section 5.3, by hand; times in ms. The kernel does the same (tcp_paws_discard, tcp_send_dupack).
TEST(Receiver, RejectsAPacketThatIsOlderThanTheRetransmissionBeforeIt) {
  Receiver receiver;
  const auto at = [&receiver](std::int64_t sequence, Nanoseconds sent_ms, Nanoseconds now_ms) {
    const Reply reply = receiver.on_packet({sequence, sent_ms * ms, now_ms * ms});
    EXPECT_NE(receiver.take_reply(now_ms * ms), nullptr);
    return reply;
  };
  at(0, 0, 100);
  EXPECT_EQ(at(1, 100, 200).echo_ns, 100 * ms);
  EXPECT_EQ(at(3, 102, 202).blocks, (Blocks{{3, 4}}));
  EXPECT_EQ(at(2, 150, 250).ack, 4);  // sent again
  // 5 was sent before that and is late: it is dropped, and the echo remains.
  const Reply late = at(5, 104, 260);
  EXPECT_EQ(late.ack, 4);
  EXPECT_EQ(late.blocks, Blocks{});
  EXPECT_EQ(late.echo_ns, 150 * ms);
  EXPECT_EQ(at(4, 149, 265).ack, 5);  // one tick older is allowed
  EXPECT_EQ(at(5, 300, 400).ack, 6);
  // In front of the first hole it is reported, beyond it not.
  EXPECT_EQ(at(5, 104, 401).blocks, (Blocks{{5, 6}}));
  EXPECT_EQ(at(8, 301, 402).blocks, (Blocks{{8, 9}}));
  EXPECT_EQ(at(10, 303, 403).blocks, (Blocks{{10, 11}, {8, 9}}));
  EXPECT_EQ(at(8, 105, 404).blocks, (Blocks{{10, 11}, {8, 9}}));
  EXPECT_EQ(receiver.duplicates(), 1);
}

TEST(Receiver, RejectsNothingWithoutTimestamps) {
  Receiver receiver;
  for (const std::int64_t sequence : {0, 1, 3, 2, 5, 4}) {
    EXPECT_EQ(receiver.on_packet({sequence, -1, sequence}).echo_ns, -1);
    receiver.take_reply(5);
  }
  EXPECT_EQ(receiver.next(), 6);
}

TEST(Receiver, EqualsASetOfPackets) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 100; ++round) {
    Receiver receiver;
    std::set<std::int64_t> arrived;
    std::int64_t next = 0;
    for (int step = 0; step < 400; ++step) {
      const std::int64_t sequence = next + static_cast<std::int64_t>(random() % 12) - 2;
      if (sequence < 0) continue;
      const bool is_new = sequence >= next && arrived.insert(sequence).second;
      while (arrived.count(next) > 0) arrived.erase(next++);
      const Reply& reply = arrive(receiver, sequence, step);
      ASSERT_EQ(reply.ack, next);
      ASSERT_LE(reply.blocks.size(), 3u);
      std::size_t first = 0;
      if (!is_new) {
        ASSERT_FALSE(reply.blocks.empty());
        ASSERT_EQ(reply.blocks[0], std::make_pair(sequence, sequence + 1));
        first = 1;
      }
      for (std::size_t i = first; i < reply.blocks.size(); ++i) {
        const auto [left, right] = reply.blocks[i];
        ASSERT_GT(left, next);
        for (std::int64_t at = left; at < right; ++at) ASSERT_EQ(arrived.count(at), 1u);
        ASSERT_EQ(arrived.count(left - 1), 0u);
        ASSERT_EQ(arrived.count(right), 0u);
        if (i == first && sequence > next) {
          ASSERT_LE(left, sequence);
          ASSERT_GT(right, sequence);
        }
      }
      if (!arrived.empty()) {
        ASSERT_GT(reply.blocks.size(), first);
      }
    }
  }
}

}  // namespace
}  // namespace clift::tcp
