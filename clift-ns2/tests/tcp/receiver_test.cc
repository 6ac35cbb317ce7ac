// The examples of RFC 2018, section 4, and RFC 2883, section 4, in packets.
#include "core/tcp/receiver.h"

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
  EXPECT_EQ(arrive(receiver, 1, 300).echo_ns, 300);  // sent again: RFC 7323 takes the later one
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
