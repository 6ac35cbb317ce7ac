// Examples worked by hand.
#include "core/tcp/scoreboard.h"

#include <gtest/gtest.h>

#include <random>

namespace clift::tcp {
namespace {

std::vector<std::int64_t> numbers(const std::vector<DeliveredPacket>& delivered) {
  std::vector<std::int64_t> sequences;
  for (const DeliveredPacket& packet : delivered) sequences.push_back(packet.sequence);
  return sequences;
}

using Numbers = std::vector<std::int64_t>;

Scoreboard board_with(std::int64_t packets) {
  Scoreboard board;
  for (std::int64_t i = 0; i < packets; ++i) board.on_sent(i, 10 * i, {});
  return board;
}

TEST(Scoreboard, CountsWhatIsInFlight) {
  Scoreboard board = board_with(10);
  EXPECT_EQ(board.in_flight(), 10);
  std::vector<DeliveredPacket> delivered;
  board.acknowledge(2, delivered);
  EXPECT_EQ(numbers(delivered), (Numbers{0, 1}));
  board.sack(5, 7, delivered);
  EXPECT_EQ(numbers(delivered), (Numbers{0, 1, 5, 6}));
  board.mark_lost(2);
  EXPECT_EQ(board.in_flight(), 5);  // 3, 4, 7, 8, 9
  EXPECT_EQ(board.sacked(), 2);
  EXPECT_EQ(board.lost(), 1);
  board.on_sent(2, 200, {});
  EXPECT_EQ(board.in_flight(), 6);
  EXPECT_EQ(board.lost(), 1);  // sent again, yet not acknowledged
  EXPECT_TRUE(board.at(2).is_retransmitted);
}

TEST(Scoreboard, TellsOfEachPacketOnce) {
  Scoreboard board = board_with(20);
  std::vector<DeliveredPacket> delivered;
  board.sack(3, 5, delivered);
  board.sack(8, 10, delivered);
  board.sack(4, 5, delivered);
  board.sack(2, 12, delivered);
  EXPECT_EQ(numbers(delivered), (Numbers{3, 4, 8, 9, 2, 5, 6, 7, 10, 11}));
  delivered.clear();
  board.acknowledge(14, delivered);
  EXPECT_EQ(numbers(delivered), (Numbers{0, 1, 12, 13}));
  EXPECT_EQ(board.sacked(), 0);
  EXPECT_EQ(board.in_flight(), 6);
}

TEST(Scoreboard, IgnoresBlocksOutsideWhatIsOutstanding) {
  Scoreboard board = board_with(5);
  std::vector<DeliveredPacket> delivered;
  board.acknowledge(3, delivered);
  delivered.clear();
  board.sack(0, 3, delivered);
  board.sack(5, 9, delivered);
  board.sack(4, 4, delivered);
  EXPECT_TRUE(delivered.empty());
  board.sack(1, 9, delivered);
  EXPECT_EQ(numbers(delivered), (Numbers{3, 4}));
}

TEST(Scoreboard, OrdersByTransmission) {
  Scoreboard board = board_with(4);
  board.mark_lost(0);
  board.on_sent(4, 100, {});
  board.on_sent(0, 110, {});
  EXPECT_EQ(board.oldest(), 1);
  EXPECT_EQ(board.newer(3), 4);
  EXPECT_EQ(board.newer(4), 0);
  EXPECT_EQ(board.newer(0), -1);
}

TEST(Scoreboard, SendsTheLowestLostPacketFirst) {
  Scoreboard board = board_with(6);
  EXPECT_FALSE(board.next_lost());
  board.mark_lost(4);
  board.mark_lost(1);
  EXPECT_EQ(board.next_lost(), 1);
  board.on_sent(1, 100, {});
  EXPECT_EQ(board.next_lost(), 4);
  std::vector<DeliveredPacket> delivered;
  board.sack(4, 5, delivered);  // it arrives after all
  EXPECT_FALSE(board.next_lost());
  EXPECT_EQ(board.lost(), 1);
}

TEST(Scoreboard, TakesMarksBack) {
  Scoreboard board = board_with(5);
  for (const std::int64_t lost : {0, 1, 2}) board.mark_lost(lost);
  board.on_sent(0, 100, {});
  board.unmark_lost();
  EXPECT_EQ(board.lost(), 0);
  EXPECT_EQ(board.in_flight(), 5);
  EXPECT_FALSE(board.next_lost());
  EXPECT_EQ(board.oldest(), 1);  // sent first of all, and not again
  EXPECT_EQ(board.newer(4), 0);
}

// A scoreboard from the definition: the state of each packet, searched at each question.
struct NaivePacket {
  bool acked = false, sacked = false, lost = false, waiting = false;
  std::int64_t transmission = 0;
};

TEST(Scoreboard, EqualsOneThatWalksThroughEverything) {
  std::mt19937_64 random(20261);
  for (int round = 0; round < 200; ++round) {
    Scoreboard board;
    std::vector<NaivePacket> naive;
    std::int64_t transmissions = 0;
    std::int64_t una = 0;
    for (int step = 0; step < 300; ++step) {
      const auto pick = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      };
      const auto size = static_cast<std::int64_t>(naive.size());
      std::vector<DeliveredPacket> delivered;
      Numbers expected;
      switch (pick(6)) {
        case 0:
        case 1:  // new packets
          for (std::int64_t i = pick(8); i >= 0; --i) {
            board.on_sent(board.next(), step, {});
            naive.emplace_back();
            naive.back().transmission = ++transmissions;
          }
          break;
        case 2: {  // a cumulative acknowledgement
          if (una == size) break;
          const std::int64_t ack = una + 1 + pick(std::min<std::int64_t>(size - una, 4));
          for (; una < ack; ++una) {
            NaivePacket& packet = naive[static_cast<std::size_t>(una)];
            if (!packet.sacked) expected.push_back(una);
            packet = NaivePacket{true, false, false, false, 0};
          }
          board.acknowledge(ack, delivered);
          break;
        }
        case 3: {  // a selective one
          if (una == size) break;
          const std::int64_t left = una + pick(size - una);
          const std::int64_t right = left + 1 + pick(5);
          for (std::int64_t i = left; i < std::min(right, size); ++i) {
            NaivePacket& packet = naive[static_cast<std::size_t>(i)];
            if (packet.sacked) continue;
            expected.push_back(i);
            packet.sacked = true;
            packet.lost = packet.waiting = false;
          }
          board.sack(left, right, delivered);
          break;
        }
        case 4: {  // a loss
          if (una == size) break;
          const std::int64_t lost = una + pick(size - una);
          NaivePacket& packet = naive[static_cast<std::size_t>(lost)];
          if (packet.sacked || packet.waiting) break;
          packet.lost = packet.waiting = true;
          board.mark_lost(lost);
          break;
        }
        case 5:  // a retransmission, and now and then a change of mind
          if (board.next_lost()) {
            NaivePacket& packet = naive[static_cast<std::size_t>(*board.next_lost())];
            packet.waiting = false;
            packet.transmission = ++transmissions;
            board.on_sent(*board.next_lost(), step, {});
          }
          if (pick(20) == 0) {
            for (NaivePacket& packet : naive) packet.lost = packet.waiting = false;
            board.unmark_lost();
          }
          break;
      }
      ASSERT_EQ(numbers(delivered), expected);
      std::vector<std::pair<std::int64_t, std::int64_t>> in_flight;
      std::int64_t sacked = 0, lost = 0, first_waiting = -1;
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(naive.size()); ++i) {
        const NaivePacket& packet = naive[static_cast<std::size_t>(i)];
        if (packet.sacked) ++sacked;
        if (packet.lost) ++lost;
        if (packet.waiting && first_waiting < 0) first_waiting = i;
        if (!packet.acked && !packet.sacked && !packet.waiting) in_flight.emplace_back(packet.transmission, i);
      }
      std::sort(in_flight.begin(), in_flight.end());
      ASSERT_EQ(board.in_flight(), static_cast<std::int64_t>(in_flight.size()));
      ASSERT_EQ(board.sacked(), sacked);
      ASSERT_EQ(board.lost(), lost);
      ASSERT_EQ(board.next_lost().value_or(-1), first_waiting);
      std::int64_t at = board.oldest();
      for (const auto& [transmission, sequence] : in_flight) {
        ASSERT_EQ(at, sequence);
        at = board.newer(at);
      }
      ASSERT_EQ(at, -1);
    }
  }
}

}  // namespace
}  // namespace clift::tcp
