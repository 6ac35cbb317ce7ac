// The sender over a path that loses packets: which one leaves when, by hand.
#include "core/tcp/sender.h"

#include <gtest/gtest.h>

#include "tests/tcp/sender_fixture.h"

namespace clift::tcp {
namespace {

TEST(Sender, SendsASingleLostPacketAgainOnTheThirdDuplicate) {
  Fixture f;
  f.path.fate = losing({{5, 1}});
  f.path.offer(100);
  f.path.run();
  // Packet 8's ACK, the third one beyond the hole, comes after 9 packets of 1 ms and two ways.
  EXPECT_EQ(f.path.times_of(5), (Delays{0, 109 * ms}));
  EXPECT_EQ(f.control->events.size(), 1u);
  EXPECT_EQ(f.control->lost.size(), 1u);
  EXPECT_EQ(f.control->lost[0].packet, 5);
  EXPECT_EQ(f.control->events[0].in_flight, 20);  // two new packets by limited transmit
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  EXPECT_EQ(f.path.sender.counters().retransmissions, 1);
  EXPECT_EQ(f.control->undone, 0);
  expect_all_delivered(f.path, 100);
}

TEST(Sender, SendsNewPacketsOnTheFirstTwoDuplicates) {  // RFC 3042
  Fixture f;
  f.path.fate = losing({{0, 1}});
  f.path.offer(100);
  f.path.run(103 * ms);  // ACKs of packets 1 and 2
  EXPECT_EQ(f.path.sender.next(), 22);
  EXPECT_EQ(f.path.sender.state(), RecoveryState::disorder);
  f.path.run();
  expect_all_delivered(f.path, 100);
}

TEST(Sender, BringsTheFlightDownWithinARound) {  // RFC 9937's example
  Fixture f;
  f.path.fate = losing({{0, 1}});
  f.path.offer(100);
  f.path.run(120 * ms);  // ACK of packet 19, the last one of the first window
  // N N, then R and N for every second ACK of 3 to 19.
  std::vector<std::int64_t> sent;
  for (const SentRecord& record : f.path.sent) {
    if (record.time_ns > 0) sent.push_back(record.sequence);
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{20, 21, 0, 22, 23, 24, 25, 26, 27, 28}));
  EXPECT_EQ(f.path.sender.in_flight(), 10);
  f.path.run();
  EXPECT_EQ(f.control->ssthresh(), 10);
  expect_all_delivered(f.path, 100);
}

TEST(Sender, RepairsSeveralLossesInOneRecovery) {
  Fixture f;
  f.path.fate = losing({{2, 1}, {3, 1}, {7, 1}, {11, 1}, {12, 1}});
  f.path.offer(60);
  f.path.run();
  EXPECT_EQ(f.control->events.size(), 1u);
  EXPECT_EQ(f.path.sender.counters().retransmissions, 5);
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  expect_all_delivered(f.path, 60);
}

TEST(Sender, FindsALostRetransmissionWithoutTimeout) {  // RFC 8985, section 3.4's second example
  Fixture f;
  f.path.fate = losing({{5, 1}, {5, 2}, {5, 3}});
  f.path.offer(200);
  f.path.run();
  const Delays times = f.path.times_of(5);
  ASSERT_EQ(times.size(), 4u);
  EXPECT_EQ(times[1], 109 * ms);
  // The next packet sent after the retransmission is acknowledged a round trip later; so is the one after.
  EXPECT_NEAR(static_cast<double>(times[2] - times[1]), 102e6, 5e6);
  EXPECT_NEAR(static_cast<double>(times[3] - times[2]), 102e6, 5e6);
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  EXPECT_EQ(f.control->events.size(), 1u);
  expect_all_delivered(f.path, 200);
}

TEST(Sender, ProbesForALostTail) {  // RFC 8985, section 3.4's first example
  Fixture f;
  f.path.fate = losing({{17, 1}, {18, 1}, {19, 1}});
  f.path.offer(20);
  f.path.run();
  // ACKs of 0 to 16 come 101 to 117 ms after; the smoothed round trip is then some 100 ms, and the probe leaves two
  // of them later: the last packet. Its ACK shows that 17 and 18 are lost.
  const Delays probe = f.path.times_of(19);
  ASSERT_EQ(probe.size(), 2u);
  EXPECT_GT(probe[1], 117 * ms + 202 * ms);
  EXPECT_LT(probe[1], 117 * ms + 234 * ms);
  EXPECT_EQ(f.path.times_of(17), (Delays{0, probe[1] + 101 * ms}));
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  EXPECT_EQ(f.control->events.size(), 1u);
  expect_all_delivered(f.path, 20);
}

TEST(Sender, CountsALossThatAProbeRepairsOnItsOwn) {
  Fixture f;
  f.path.fate = losing({{19, 1}});
  f.path.offer(20);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  EXPECT_EQ(f.control->events.size(), 0u);  // an ACK beyond the probe would tell, and nothing more is sent
  f.path.offer(25);
  f.path.run();
  EXPECT_EQ(f.control->events.size(), 1u);  // RFC 8985, section 7.4.2
  expect_all_delivered(f.path, 25);
}

TEST(Sender, DoesNotPayForANeedlessProbe) {
  Fixture f;
  // The timeout is some 300 ms: the probe leaves then, since a receiver may hold the ACK of a single packet back.
  f.path.fate = [](std::int64_t sequence, int copy) {
    return sequence == 19 && copy == 1 ? Delays{350 * ms} : Delays{0};
  };
  f.path.offer(20);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  f.path.offer(30);
  f.path.run();
  EXPECT_EQ(f.control->events.size(), 0u);
  expect_all_delivered(f.path, 30);
}

TEST(Sender, ProbesNoMoreBeforeARoundTripIsMeasured) {  // RFC 8985, section 7.3, condition 2
  SenderOptions options = no_handshake();
  options.timestamps = false;
  Fixture f(20.0, {}, options);
  f.path.echoes = false;
  // A needless probe of packet 19, which both copies answer: neither tells the round-trip time. Then 20 is lost.
  f.path.fate = [](std::int64_t sequence, int copy) {
    if (sequence == 20 && copy == 1) return Delays{};
    return sequence == 19 && copy == 1 ? Delays{350 * ms} : Delays{0};
  };
  f.path.offer(20);
  f.path.run();
  f.path.offer(21);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  EXPECT_EQ(f.path.sender.counters().timeouts, 1);
  expect_all_delivered(f.path, 21);
}

TEST(Sender, RecoversWhenAWholeWindowIsLost) {
  Fixture f;
  f.path.fate = [](std::int64_t sequence, int copy) {
    return sequence >= 20 && sequence < 40 && copy == 1 ? Delays{} : Delays{0};
  };
  f.path.offer(100);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);  // the probe's ACK tells of the others
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  expect_all_delivered(f.path, 100);
}

TEST(Sender, DoesNotTimeOutBehindAQueueThatHasGrown) {
  // Reno in slow start, and a queue without end: while the ACKs of packets that are sent in one round trip come back,
  // twice as many are sent. Packet 1000 goes out again behind that, and its ACK takes twice the round-trip time
  // that was measured when it went, and more than the timeout.
  Path path({}, {});
  path.fate = losing({{1000, 1}});
  path.offer(4000);
  path.run();
  ASSERT_EQ(path.times_of(1000).size(), 2u);
  EXPECT_EQ(path.sender.counters().timeouts, 0);
  expect_all_delivered(path, 4000);
}

TEST(Sender, TimesOutAfterTheLastReportOfWhatWasSentBefore) {
  // Packet 0 of ten is lost twice, the receiver's window lets no other one out. The timer runs from the ACK of packet
  // 9 at 110 ms, the last one that was sent before the retransmission at 104 ms.
  SenderOptions options = no_handshake();
  options.receiver_window = 10;
  Fixture fixture(20.0, {}, options);
  fixture.path.fate = losing({{0, 1}, {0, 2}});
  fixture.path.offer(10);
  fixture.path.run(110 * ms);
  EXPECT_EQ(fixture.path.times_of(0), (Delays{0, 104 * ms}));
  const Nanoseconds rto_ns = fixture.path.sender.rtt().rto_ns();
  fixture.path.run();
  EXPECT_EQ(fixture.path.times_of(0), (Delays{0, 104 * ms, 110 * ms + rto_ns}));
  expect_all_delivered(fixture.path, 10);
}

TEST(Sender, DoublesTheTimeoutWhileNothingComesBack) {
  Fixture f;
  f.path.fate = [](std::int64_t sequence, int copy) {
    const int lost = sequence == 20 ? 3 : sequence == 39 ? 2 : sequence > 20 ? 1 : 0;
    return copy <= lost ? Delays{} : Delays{0};
  };
  f.path.offer(40);
  f.path.run();
  const Delays times = f.path.times_of(20);
  ASSERT_EQ(times.size(), 4u);
  EXPECT_EQ(times[3] - times[2], 2 * (times[2] - times[1]));
  EXPECT_EQ(f.path.sender.counters().timeouts, 3);
  EXPECT_EQ(f.control->timeouts.size(), 3u);
  EXPECT_FALSE(f.control->timeouts[0].is_repeated);
  EXPECT_TRUE(f.control->timeouts[1].is_repeated);
  expect_all_delivered(f.path, 40);
}

TEST(Sender, SendsNoNewDataAfterATimeoutInTheRecoveryFromAnother) {  // RFC 5682, section 3.1, step 1
  Fixture f;
  f.path.fate = [](std::int64_t sequence, int copy) {
    const bool is_lost = sequence < 20 && (copy == 1 || (copy == 2 && sequence == 1));
    return is_lost ? Delays{} : Delays{0};
  };
  f.path.offer(20);
  while (f.path.sender.una() == 0) f.path.run(f.path.now_ns + 1 * ms);
  f.path.offer(30);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().timeouts, 2);
  EXPECT_GT(f.path.times_of(20).at(0), f.path.times_of(2).at(1));
  expect_all_delivered(f.path, 30);
}

// A packet each 200 ms into a path that loses everything. The first one's timer ends after the timeout; a probe goes
// first and starts the timer again, once, whatever the application sends (RFC 8985).
TEST(Sender, TimesOutWhileTheApplicationSends) {
  Fixture f(100.0, {1 * ms, 150 * ms});
  for (std::int64_t i = 0; i < 40; ++i) {  // the timeout comes down to the RTT, 301 ms, and 200 ms
    f.path.offer(i + 1);
    f.path.run(f.path.now_ns + 400 * ms);
  }
  const Nanoseconds timeout_ns = f.path.sender.rtt().rto_ns();
  EXPECT_NEAR(static_cast<double>(timeout_ns), 501e6, 1e5);
  f.path.fate = [](std::int64_t, int) { return Delays{}; };
  const Nanoseconds begin_ns = f.path.now_ns;
  for (std::int64_t i = 40; i < 60; ++i) {
    f.path.offer(i + 1);
    f.path.run(f.path.now_ns + 200 * ms);
  }
  EXPECT_EQ(f.path.times_of(40)[1], begin_ns + 2 * timeout_ns);
  EXPECT_EQ(f.path.sender.counters().probes, 1);
}

// The RTT steps from 0.1 to 3 s, a message of ten packets each 6 s, no timestamps. RFC 6298, section 5: a timeout that
// has been doubled stays until there is a sample of the RTT, which retransmitted packets do not give (Karn). The
// timeout is 0.31 s at first. A probe after two RTTs, 0.21 s, and timeouts 0.31, 0.61 and 1.23 s later hit the first
// message, one after 2.45 s the second; the next would come after 4.9 s.
TEST(Sender, KeepsTheBackOffUntilASampleOfTheRtt) {
  Fixture f;
  f.path.echoes = false;
  for (std::int64_t i = 1; i <= 10; ++i) {
    f.path.offer(10 * i);
    f.path.run(f.path.now_ns + 1000 * ms);
  }
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  f.path.fate = [](std::int64_t, int) { return Delays{2900 * ms}; };
  for (std::int64_t i = 11; i <= 30; ++i) {
    f.path.offer(10 * i);
    f.path.run(f.path.now_ns + 6000 * ms);
  }
  EXPECT_EQ(f.path.sender.counters().timeouts, 4);
  expect_all_delivered(f.path, 300);
}

}  // namespace
}  // namespace clift::tcp
