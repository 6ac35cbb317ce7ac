// The sender over a path that reorders or delays packets: losses that it detects, and reductions that it undoes.
#include "core/tcp/sender.h"

#include <gtest/gtest.h>

#include "tests/tcp/sender_fixture.h"

namespace clift::tcp {
namespace {

TEST(Sender, WaitsForPacketsThatOvertakeEachOtherOnceItKnows) {
  Fixture f(40.0);
  // Every tenth packet is delayed by 15 ms, which fifteen others overtake; a quarter of a round trip is 25 ms.
  f.path.fate = [](std::int64_t sequence, int) { return sequence % 10 == 0 ? Delays{15 * ms} : Delays{0}; };
  f.path.offer(2000);
  f.path.run();
  EXPECT_LE(f.control->events.size(), 1u);  // until the first one arrives late
  EXPECT_EQ(f.control->undone, static_cast<int>(f.control->events.size()));
  EXPECT_LE(f.path.sender.counters().retransmissions, 4);
  EXPECT_TRUE(f.path.sender.rack().reordering_seen());
  expect_all_delivered(f.path, 2000);
}

TEST(Sender, TakesNoLostAckForReordering) {
  Fixture f;
  int acks = 0;
  f.path.fate = losing({{5, 1}, {10, 1}});
  f.path.ack_fate = [&] { return ++acks == 7 || acks == 10 || acks == 11 ? Delays{} : Delays{0}; };
  f.path.offer(60);
  f.path.run();
  EXPECT_FALSE(f.path.sender.rack().reordering_seen());
  EXPECT_EQ(f.path.sender.counters().retransmissions, 2);
  expect_all_delivered(f.path, 60);
}

TEST(Sender, WidensTheReorderingWindowWhenDsacksTell) {
  Fixture f(100.0);
  // 60 ms: more than two quarters of a round trip.
  f.path.fate = [](std::int64_t sequence, int) { return sequence % 50 == 0 ? Delays{60 * ms} : Delays{0}; };
  f.path.offer(20000);
  f.path.run();
  EXPECT_GE(f.path.sender.rack().window_multiple(), 3);
  EXPECT_LE(f.path.sender.counters().recoveries, 20);  // of 400 delayed packets
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  expect_all_delivered(f.path, 20000);
}

TEST(Sender, TakesAReductionBackWhenTheTimestampTells) {
  Fixture f;
  f.path.dsacks = false;
  f.path.fate = [](std::int64_t sequence, int) { return sequence == 5 ? Delays{20 * ms} : Delays{0}; };
  f.path.offer(100);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().retransmissions, 1);
  EXPECT_EQ(f.control->undone, 1);
  EXPECT_EQ(f.control->cwnd(), 20.0);
  expect_all_delivered(f.path, 100);
}

TEST(Sender, TakesAReductionBackWhenDsacksTell) {
  SenderOptions options = no_handshake();
  options.timestamps = false;
  Fixture f(20.0, {}, options);
  f.path.echoes = false;
  f.path.fate = [](std::int64_t sequence, int) { return sequence == 5 ? Delays{20 * ms} : Delays{0}; };
  f.path.offer(100);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().retransmissions, 1);
  EXPECT_EQ(f.control->undone, 1);
  expect_all_delivered(f.path, 100);
}

// RFC 5682: for one second nothing leaves the path, then all does; nothing is lost.
void expect_spurious_timeout_undone(bool timestamps) {
  SenderOptions options = no_handshake();
  options.timestamps = timestamps;
  Fixture f(20.0, {}, options);
  f.path.echoes = timestamps;
  f.path.fate = [&](std::int64_t, int) {
    const bool is_held = f.path.now_ns >= 200 * ms && f.path.now_ns < 1200 * ms;
    return is_held ? Delays{1200 * ms - f.path.now_ns} : Delays{0};
  };
  f.path.offer(200);
  f.path.run();
  EXPECT_GE(f.path.sender.counters().timeouts, 1);
  EXPECT_EQ(f.control->undone, 1);
  EXPECT_LE(f.path.sender.counters().retransmissions, 3);  // the probe and the head
  expect_all_delivered(f.path, 200);
}

TEST(Sender, TakesATimeoutBackByItsTimestamp) { expect_spurious_timeout_undone(true); }
TEST(Sender, TakesATimeoutBackByForwardRto) { expect_spurious_timeout_undone(false); }

TEST(Sender, DoesNotTakeATimeoutBackWhenAllAcksWereLost) {  // RFC 3708, section 3, (A.1)
  SenderOptions options = no_handshake();
  options.timestamps = false;
  Fixture f(20.0, {}, options);
  f.path.echoes = false;
  f.path.ack_fate = [&] { return f.path.sender.counters().timeouts == 0 ? Delays{} : Delays{0}; };
  f.path.offer(20);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().timeouts, 1);
  EXPECT_EQ(f.path.receiver.duplicates(), 1);  // its report is the first ACK
  EXPECT_EQ(f.control->undone, 0);
  expect_all_delivered(f.path, 20);
}

}  // namespace
}  // namespace clift::tcp
