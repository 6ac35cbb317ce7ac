// Round-trip times, segments in transit, blocks and the receiver: by hand and against slow twins.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/fectcp/receiver.h"
#include "core/fectcp/round_trip.h"
#include "core/fectcp/segments.h"
#include "core/fectcp/source_blocks.h"
#include "tests/milliseconds.h"

namespace clift::fectcp {
namespace {

TEST(FectcpRoundTrip, FollowsEquationsOneAndTwo) {
  RoundTrip rtt(0.5);
  EXPECT_FALSE(rtt.has_sample());
  rtt.sample(100 * ms);
  EXPECT_EQ(rtt.srtt_ns(), 100 * ms);
  EXPECT_EQ(rtt.deviation_ns(), 50 * ms);
  EXPECT_EQ(rtt.timer_ns(2.0), 225 * ms);  // 1.5 * 150
  rtt.sample(140 * ms);
  // Mean 100 + 40/8 = 105, variance 2500 + (1600 - 2500)/4 = 2275, sRTT 0.5 * 100 + 0.5 * 105.
  EXPECT_EQ(rtt.srtt_ns(), 102'500'000);
  EXPECT_NEAR(static_cast<double>(rtt.deviation_ns()), 47.69696e6, 1e2);
  EXPECT_NEAR(static_cast<double>(rtt.timer_ns(4.0)), 187.74620e6, 1e2);
}

TEST(FectcpRoundTrip, OfASteadyPathLeavesTheGranularity) {
  RoundTrip rtt(0.875);
  for (int i = 0; i < 500; ++i) rtt.sample(100 * ms);
  EXPECT_EQ(rtt.deviation_ns(), 0);
  EXPECT_EQ(rtt.timer_ns(10.0), 110'001'100);  // 1.1 * (100 ms + 1 us)
}

// Every segment with a timer of its own, and every rule by its words.
class SlowSegments {
 public:
  void on_sent(std::int64_t number, Nanoseconds deadline_ns) { timers_[number] = deadline_ns; }
  void leave(std::int64_t number) { timers_.erase(timers_.begin(), timers_.upper_bound(number)); }
  std::int64_t in_transit() const { return static_cast<std::int64_t>(timers_.size()); }
  Nanoseconds next_deadline_ns() const {
    Nanoseconds least_ns = never;
    for (const auto& [number, deadline_ns] : timers_) least_ns = std::min(least_ns, deadline_ns);
    return least_ns;
  }
  std::int64_t next_to_expire() const {
    std::int64_t found = -1;
    for (const auto& [number, deadline_ns] : timers_) {
      if (deadline_ns == next_deadline_ns()) found = number;
    }
    return found;
  }

 private:
  std::map<std::int64_t, Nanoseconds> timers_;
};

TEST(FectcpSegments, AreThoseOfASlowTwin) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Segments segments;
    SlowSegments twin;
    Nanoseconds now_ns = 0;
    std::int64_t gone = 0;
    const auto count = [&gone](std::int64_t) { ++gone; };
    std::map<std::int64_t, Nanoseconds> sent_ns;
    for (int step = 0; step < 200; ++step) {
      now_ns += static_cast<Nanoseconds>(random() % 5);
      const std::uint32_t what = random() % 10;
      if (what < 6) {
        const Nanoseconds deadline_ns = now_ns + static_cast<Nanoseconds>(random() % 40);
        sent_ns[segments.next()] = now_ns;
        twin.on_sent(segments.next(), deadline_ns);
        segments.on_sent(now_ns, deadline_ns, 0);
      } else if (what < 8 && segments.next() > segments.first()) {
        const std::int64_t open = segments.next() - segments.first();
        const std::int64_t number = segments.first() + static_cast<std::int64_t>(random() % 1000) % open;
        EXPECT_EQ(segments.sent_ns(number), sent_ns[number]);
        segments.acknowledge(number, count);
        twin.leave(number);
        EXPECT_EQ(segments.first(), number + 1);
      } else if (segments.next_deadline_ns() != never) {
        EXPECT_EQ(segments.next_to_expire(), twin.next_to_expire());
        const std::int64_t number = segments.next_to_expire();
        segments.expire(number, count);
        twin.leave(number);
      }
      EXPECT_EQ(segments.next_deadline_ns(), twin.next_deadline_ns());
      EXPECT_EQ(segments.in_transit(), twin.in_transit());
      EXPECT_EQ(gone + twin.in_transit(), segments.next() - 1);
    }
  }
}

TEST(SourceBlocks, DivideTheDataEvenly) {
  SourceBlocks blocks(4, DecodingOverhead::parse("0%"));
  EXPECT_FALSE(blocks.has_work());
  blocks.offer(10);
  std::map<std::int64_t, std::int64_t> symbols;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t block = blocks.choose();
    blocks.on_sent(block);
    symbols[block] = blocks.source_symbols(block);
  }
  EXPECT_EQ(symbols, (std::map<std::int64_t, std::int64_t>{{0, 4}, {1, 3}, {2, 3}}));
}

TEST(SourceBlocks, GiveTheOldestThatLacksSymbolsTheNextOne) {
  SourceBlocks blocks(2, DecodingOverhead::parse("50%"));
  blocks.offer(6);
  const auto send = [&blocks] {
    const std::int64_t block = blocks.choose();
    blocks.on_sent(block);
    return block;
  };
  // Three symbols for each block of two, then blocks in turn: nothing else is left to do.
  const std::vector<std::int64_t> wanted = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 2};
  for (const std::int64_t block : wanted) EXPECT_EQ(send(), block);
  // Three of the four of block 1 are gone, and one arrived: it lacks one.
  for (int i = 0; i < 3; ++i) blocks.on_gone(1);
  blocks.on_received(1, 1);
  EXPECT_EQ(send(), 1);
  blocks.on_decoded(1);
  blocks.on_decoded_before(1);
  EXPECT_EQ(send(), 2);
  EXPECT_TRUE(blocks.has_work());
  blocks.on_decoded_before(3);
  EXPECT_FALSE(blocks.has_work());
}

TEST(SourceBlocks, AskForMoreWhenTheLikelyOverheadDoesNotSuffice) {
  SourceBlocks blocks(10, DecodingOverhead::parse("0:6,4:3,9:1"));
  blocks.offer(100);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(blocks.choose(), 0);
    blocks.on_sent(0);
  }
  EXPECT_EQ(blocks.choose(), 1);
  for (int i = 0; i < 10; ++i) blocks.on_gone(0);
  blocks.on_received(0, 10);  // and yet it is not decoded: four more have even odds
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(blocks.choose(), 0);
    blocks.on_sent(0);
  }
  EXPECT_EQ(blocks.choose(), 1);
}

TEST(FectcpReceiver, DecodesWithEnoughSymbolsAndHandsOverInOrder) {
  Receiver receiver(DecodingOverhead::parse("1:1"), [] { return 0.0; });
  EXPECT_EQ(receiver.on_handshake(7).handshake_ns, 7);
  EXPECT_EQ(receiver.on_handshake(7).first_open, 0);
  Reply reply = receiver.on_segment(1, 0, 2);
  EXPECT_EQ(reply.number, 1);
  EXPECT_EQ(reply.received, 1);
  EXPECT_FALSE(reply.is_decoded);
  for (std::int64_t number = 2; number < 4; ++number) receiver.on_segment(number, 1, 2);
  EXPECT_TRUE(receiver.handovers().empty());
  reply = receiver.on_segment(4, 1, 2);
  EXPECT_TRUE(reply.is_decoded);  // but block 0 comes first
  EXPECT_EQ(reply.first_open, 0);
  EXPECT_EQ(reply.first_received, 1);
  EXPECT_TRUE(receiver.handovers().empty());
  reply = receiver.on_segment(5, 1, 2);
  EXPECT_TRUE(reply.is_decoded);
  reply = receiver.on_segment(1, 0, 2);  // a copy is no new symbol
  EXPECT_EQ(reply.first_received, 1);
  receiver.on_segment(7, 0, 2);
  reply = receiver.on_segment(6, 0, 2);  // late, and the third symbol
  EXPECT_EQ(reply.first_open, 2);
  EXPECT_TRUE(reply.is_decoded);
  ASSERT_EQ(receiver.handovers().size(), 2U);
  EXPECT_EQ(receiver.handovers()[0].first_symbol, 0);
  EXPECT_EQ(receiver.handovers()[1].first_symbol, 2);
  EXPECT_EQ(receiver.handovers()[1].source_symbols, 2);
  reply = receiver.on_segment(9, 0, 2);
  EXPECT_TRUE(reply.is_decoded);
  EXPECT_TRUE(receiver.handovers().empty());
  const ReceiverCounters& counters = receiver.counters();
  EXPECT_EQ(counters.segments, 9);
  EXPECT_EQ(counters.surplus, 3);
  EXPECT_EQ(counters.decoded_blocks, 2);
  EXPECT_EQ(counters.decoded_symbols, 4);
  EXPECT_EQ(counters.overhead_symbols, 2);
}

}  // namespace
}  // namespace clift::fectcp
