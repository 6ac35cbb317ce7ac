// The sender's actions and their times, by hand, and its window against a twin that follows the rules literally. A
// segment takes 1 ms and each way 50 ms, so an ACK arrives 101 ms after its segment left.
#include "core/fectcp/sender.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tests/fectcp/path.h"

namespace clift::fectcp {
namespace {

Path::Fate losing(const std::set<std::int64_t>& numbers) {
  return [numbers](std::int64_t number) {
    return numbers.count(number) != 0 ? Delays{} : Delays{0};
  };
}

// A path that is never full: sRTT stays 101 ms and a window of ten is never left.
SenderOptions window_of_ten() {
  SenderOptions options;
  options.window_packets = 11;
  return options;
}

TEST(FectcpSender, ShakesHandsAndSpacesItsSegments) {
  Path path({}, {});
  path.offer(1000);
  path.run(200 * ms);
  EXPECT_EQ(path.time_of(0), 0);
  EXPECT_EQ(path.time_of(1), 101 * ms);
  // sRTT / cwnd apart, with three segments in the first round trip.
  EXPECT_NEAR(static_cast<double>(path.time_of(2)), (101.0 + 101.0 / 3) * ms, 2);
  EXPECT_NEAR(static_cast<double>(path.time_of(3)), (101.0 + 2 * 101.0 / 3) * ms, 2);
  EXPECT_EQ(path.time_of(5), -1);
}

TEST(FectcpSender, RepeatsTheHandshakeUntilItIsAnswered) {
  Path path({}, {});
  int handshakes = 0;
  path.fate = [&handshakes](std::int64_t number) {
    return number == 0 && ++handshakes < 3 ? Delays{} : Delays{0};
  };
  path.offer(10);
  path.run();
  EXPECT_EQ(path.sent[1].time_ns, 1000 * ms);
  EXPECT_EQ(path.sent[2].time_ns, 3000 * ms);
  EXPECT_EQ(path.time_of(1), 3101 * ms);
  EXPECT_EQ(path.time_of(2), 3101 * ms + 33'666'667);  // the third one's round-trip time, not that since the first
  EXPECT_TRUE(path.sender.is_done());
}

TEST(FectcpSender, IgnoresASingleLoss) {
  Path path({}, window_of_ten());
  path.fate = losing({100, 103, 200});
  path.offer(400);
  path.run();
  EXPECT_TRUE(path.sender.is_done());
  EXPECT_EQ(path.sender.counters().expiries, 0);
  EXPECT_EQ(path.sender.cwnd(), 10.0);
}

TEST(FectcpSender, HalvesItsWindowWhenTheTimerOfTwoLostOnesExpires) {
  Path path({}, window_of_ten());
  path.fate = losing({300, 301});
  path.offer(100'000);
  Nanoseconds reduced_ns = -1;
  double before = 0.0;
  double after = 0.0;
  path.run(5000 * ms, [&] {
    if (reduced_ns < 0 && path.sender.counters().reductions == 0) before = path.sender.cwnd();
    if (reduced_ns < 0 && path.sender.counters().reductions == 1) {
      reduced_ns = path.now_ns;
      after = path.sender.cwnd();
    }
  });
  EXPECT_EQ(before, 10.0);
  EXPECT_EQ(after, 5.0);
  // (1 + 1/10)(101 ms + 1 us); the ACK of 302 would have come after 101 + 2 * 10.1 ms.
  EXPECT_NEAR(static_cast<double>(reduced_ns - path.time_of(300)), 111.1011 * ms, 1000);
  EXPECT_EQ(path.sender.counters().reductions, 1);
  EXPECT_EQ(path.sender.ssthresh(), 5.0);
  EXPECT_EQ(path.sender.cwnd(), 10.0);  // again
}

TEST(FectcpSender, HalvesItsWindowOnceForTheLossesOfARoundTrip) {
  Path path({}, window_of_ten());
  path.fate = losing({300, 301, 304, 305, 308, 309});
  path.offer(100'000);
  path.run(4500 * ms);
  EXPECT_EQ(path.sender.counters().reductions, 1);
  EXPECT_GT(path.sender.counters().expiries, 1);
}

TEST(FectcpSender, SendsOnWhenEverythingIsLost) {
  Path path({}, window_of_ten());
  bool is_dead = false;
  path.fate = [&is_dead](std::int64_t) { return is_dead ? Delays{} : Delays{0}; };
  path.offer(1'000'000);
  path.run(3000 * ms);
  is_dead = true;
  path.run(5000 * ms);
  EXPECT_EQ(path.sender.cwnd(), 1.0);
  const std::int64_t before = path.sender.segments().next();
  path.run(15'000 * ms);
  // Two segments for each timer, which is (1 + 1)(101 ms + 1 us) with a window of one.
  EXPECT_NEAR(static_cast<double>(path.sender.segments().next() - before), 2 * 10'000 / 202.0, 2);
  is_dead = false;
  path.run(20'000 * ms);
  EXPECT_EQ(path.sender.cwnd(), 10.0);
}

TEST(FectcpSender, EndsWhenTheReceiverHasDecodedThoughTheLastAcksAreLost) {
  Path path({}, window_of_ten());
  std::int64_t unheard = 0;
  path.ack_fate = [&](std::int64_t number) {
    const bool is_lost = path.receiver.counters().decoded_blocks == 1 && unheard < 25;
    if (number > 0 && is_lost) ++unheard;
    return is_lost ? Delays{} : Delays{0};
  };
  path.offer(200);
  path.run();
  EXPECT_TRUE(path.sender.is_done());
  EXPECT_EQ(unheard, 25);
  ASSERT_EQ(path.handovers.size(), 1U);
  EXPECT_EQ(path.handovers[0].source_symbols, 200);
  EXPECT_GE(path.receiver.counters().surplus, 25);
}

TEST(FectcpSender, NeedsAsManySymbolsAsTheCodeDoes) {
  Path path({}, window_of_ten(), "5%");
  path.fate = losing({20, 40});
  path.offer(200);
  path.run();
  EXPECT_EQ(path.receiver.counters().overhead_symbols, 10);
  // The 210th symbol to arrive is segment 212.
  EXPECT_EQ(path.decoded_ns, path.time_of(212) + 51 * ms);
}

TEST(FectcpSender, ReducesBeforeASmallQueueOverflowsForLong) {
  PathOptions options;
  options.queue_packets = 5;
  Path path(options, {});
  path.offer(1'000'000);
  path.run(60'000 * ms);
  const double arrived = static_cast<double>(path.receiver.counters().segments);
  const double sent = static_cast<double>(path.sender.counters().segments);
  EXPECT_GT(path.sender.counters().reductions, 3);
  EXPECT_GT(arrived / 60'000, 0.7);   // of the link's rate
  EXPECT_LT((sent - arrived) / sent, 0.01);
}

// The window as the paper's words and ours have it: a timer for each segment, looked through at every event.
class SlowWindow {
 public:
  explicit SlowWindow(double most) : most_(most), cwnd_(std::min(3.0, most)) {}

  void on_sent(std::int64_t number, Nanoseconds deadline_ns) {
    timers_[number] = deadline_ns;
    next_ = number + 1;
  }
  void on_ack(std::int64_t number) {
    for (; covered_ < number; ++covered_) grown_ += 1;
    if (grown_ > 0) cwnd_ = std::min(cwnd_ + (cwnd_ < ssthresh_ ? grown_ : grown_ / cwnd_), most_);
    grown_ = 0;
    timers_.erase(timers_.begin(), timers_.upper_bound(number));
  }
  void expire(Nanoseconds now_ns) {
    while (true) {
      auto due = timers_.end();
      for (auto it = timers_.begin(); it != timers_.end(); ++it) {
        if (it->second <= now_ns && (due == timers_.end() || it->second <= due->second)) due = it;
      }
      if (due == timers_.end()) return;
      if (due->first >= reduced_before_) {
        ssthresh_ = std::max(cwnd_ / 2, 2.0);
        cwnd_ = std::max(cwnd_ / 2, 1.0);
        reduced_before_ = next_;
      }
      timers_.erase(timers_.begin(), std::next(due));
    }
  }
  double cwnd() const { return cwnd_; }

 private:
  double most_;
  double cwnd_;
  double ssthresh_ = 1e300;
  double grown_ = 0;
  std::int64_t covered_ = 0;
  std::int64_t next_ = 1;
  std::int64_t reduced_before_ = 0;
  std::map<std::int64_t, Nanoseconds> timers_;
};

TEST(FectcpSender, FollowsItsSlowTwinAndEndsOnAnyPath) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto chance = [&random] { return static_cast<double>(random()) / 4294967296.0; };
    PathOptions options;
    options.queue_packets = 1 + random() % 60;
    options.one_way_ns = static_cast<Nanoseconds>(1 + random() % 300) * ms;
    const char* const overhead = random() % 2 == 0 ? "5%" : "0:3,1:2,8:1";
    SenderOptions sender_options;
    sender_options.window_packets = 1 + random() % 80;
    sender_options.block_symbols = 1 + random() % 200;
    Path path(options, sender_options, overhead);
    const double loss = 0.5 * chance();
    const double ack_loss = 0.5 * chance();
    const auto rough = [&](double losses) {
      if (chance() < losses) return Delays{};
      Delays copies{chance() < 0.1 ? static_cast<Nanoseconds>(chance() * 400) * ms : 0};
      if (chance() < 0.02) copies.push_back(copies[0] + ms);
      return copies;
    };
    path.fate = [&](std::int64_t) { return rough(loss); };
    path.ack_fate = [&](std::int64_t) { return rough(ack_loss); };
    path.uniform = chance;

    SlowWindow twin(static_cast<double>(std::max<std::int64_t>(sender_options.window_packets - 1, 1)));
    path.on_timer = [&] { twin.expire(path.now_ns); };
    path.on_ack = [&](const Reply& reply) { twin.on_ack(reply.number); };
    path.on_sent = [&](const OutgoingSegment& segment) {
      const Sender& sender = path.sender;
      if (segment.number > 0) twin.on_sent(segment.number, path.now_ns + sender.round_trip().timer_ns(sender.cwnd()));
    };
    const std::int64_t symbols = 1 + random() % 1000;
    path.offer(symbols);
    path.run(100'000'000 * ms, [&] {
      ASSERT_EQ(path.sender.cwnd(), twin.cwnd()) << "seed " << seed;
      ASSERT_LE(path.sender.segments().in_transit(), sender_options.window_packets);
    });
    EXPECT_TRUE(path.sender.is_done()) << "seed " << seed;
    std::int64_t handed_over = 0;
    for (const Handover& handover : path.handovers) {
      EXPECT_EQ(handover.first_symbol, handed_over);
      handed_over += handover.source_symbols;
    }
    EXPECT_EQ(handed_over, symbols);
    std::set<std::int64_t> numbers;
    for (const SentRecord& record : path.sent) {
      if (record.segment.number == 0) continue;
      EXPECT_TRUE(numbers.insert(record.segment.number).second);
    }
  }
}

}  // namespace
}  // namespace clift::fectcp
