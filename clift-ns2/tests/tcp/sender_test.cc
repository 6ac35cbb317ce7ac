// The sender over a path: its handshake, its windows and its clock, by hand.
#include "core/tcp/sender.h"

#include <gtest/gtest.h>

#include "tests/tcp/sender_fixture.h"

namespace clift::tcp {
namespace {

TEST(Sender, BeginsWithASynAndMeasuresIt) {
  SenderOptions options;
  Path path({}, options);
  path.offer(100);
  path.run(100 * ms);
  ASSERT_EQ(path.sent.size(), 1u);
  EXPECT_EQ(path.sent[0].sequence, 0);
  path.run(101 * ms);
  EXPECT_EQ(path.sent.size(), 11u);  // the SYN, and RFC 6928's ten packets
  EXPECT_EQ(path.sender.rtt().srtt_ns(), 101 * ms);
  path.run();
  expect_all_delivered(path, 100);
  EXPECT_EQ(path.sender.counters().retransmissions, 0);
}

TEST(Sender, SendsALostSynAgainAfterASecond) {
  SenderOptions options;
  Path path({}, options);
  path.fate = losing({{0, 1}, {0, 2}});
  path.offer(50);
  path.run();
  EXPECT_EQ(path.times_of(0), (Delays{0, 1000 * ms, 3000 * ms}));
  EXPECT_EQ(path.times_of(1), (Delays{3101 * ms}));
  EXPECT_EQ(path.sender.state(), RecoveryState::open);
  expect_all_delivered(path, 50);
}

TEST(Sender, ObeysTheReceiversWindow) {
  SenderOptions options = no_handshake();
  options.receiver_window = 8;
  Fixture f(100.0, {}, options);
  f.path.fate = losing({{3, 1}, {17, 1}});
  f.path.offer(100);
  f.path.run(never, [&] { ASSERT_LE(f.path.sender.next() - f.path.sender.una(), 8); });
  expect_all_delivered(f.path, 100);
}

TEST(Sender, SpreadsPacketsAtThePacingRate) {
  auto control = std::make_unique<FixedWindow>(100.0, 250.0);  // a packet every 4 ms
  Path path({}, no_handshake(), std::move(control));
  path.offer(50);
  path.run();
  for (std::size_t i = 1; i < path.sent.size(); ++i) {
    EXPECT_EQ(path.sent[i].time_ns - path.sent[i - 1].time_ns, 4 * ms) << i;
  }
  expect_all_delivered(path, 50);
}

TEST(Sender, MeasuresTheBottlenecksRate) {
  Fixture f(300.0);  // a full pipe and a queue
  f.path.offer(3000);
  f.path.run();
  const AckSample& ack = f.control->acks[2000];
  EXPECT_NEAR(ack.rate.delivery_rate, 1000.0, 5.0);  // a packet a millisecond
  EXPECT_FALSE(ack.rate.is_app_limited);
  EXPECT_TRUE(ack.is_cwnd_limited);
}

// Both BBRs: draft-ietf-ccwg-bbr, section 5.6.2: the rate is the gain times ten packets in the handshake's RTT, 101 ms.
TEST(Sender, SpreadsTheFirstWindowOfBbrByTheHandshakesRtt) {
  for (const auto& [name, gain] : {std::pair("bbr", 0.99 * 2.885390), std::pair("bbr3", 2.77)}) {
    Path path({}, SenderOptions(), name);
    path.offer(11);
    path.run(200 * ms);
    ASSERT_EQ(path.sent.size(), 11u) << name;
    for (std::size_t i = 2; i < path.sent.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(path.sent[i].time_ns - path.sent[i - 1].time_ns), 10.1e6 / gain, 1.0) << name;
    }
  }
}

// 15 packets at a time in a window of 20: in slow start that window may grow, but it was not the limit.
TEST(Sender, TellsWhichFlightTheApplicationLimited) {
  Fixture f(20.0);
  for (std::int64_t end = 15; end <= 60; end += 15) {
    f.path.offer(end);
    f.path.run();
  }
  ASSERT_EQ(f.control->acks.size(), 60u);
  EXPECT_FALSE(f.control->acks.back().is_cwnd_limited);
  EXPECT_EQ(f.control->acks.back().most_outstanding, 15);
}

TEST(Sender, TellsOfAPause) {
  Fixture f;
  f.path.offer(10);
  f.path.run();
  f.path.run(5000 * ms);
  f.path.offer(20);
  ASSERT_EQ(f.control->idle.size(), 1u);
  EXPECT_EQ(f.control->idle[0], 5000 * ms);
  f.path.run();
  expect_all_delivered(f.path, 20);
}

TEST(Sender, TakesBackWhatItHasNotSent) {
  Fixture f;
  f.path.offer(1000);
  f.path.run(100 * ms);  // the window of 20 packets is under way, and no ACK is there
  f.path.offer(5);
  f.path.run();
  EXPECT_EQ(f.path.sender.next(), 20);
  expect_all_delivered(f.path, 20);
}

TEST(Sender, IgnoresAcksOfWhatWasNotSent) {
  Fixture f;
  f.path.offer(10);
  Acknowledgement ack;
  ack.now_ns = 1;
  ack.ack = 11;
  f.path.sender.on_ack(ack);
  EXPECT_EQ(f.path.sender.una(), 0);
  ack.ack = 0;
  ack.blocks = {{20, 30}};
  f.path.sender.on_ack(ack);
  EXPECT_EQ(f.path.sender.scoreboard().sacked(), 0);
  f.path.run();
  expect_all_delivered(f.path, 10);
}

}  // namespace
}  // namespace clift::tcp
