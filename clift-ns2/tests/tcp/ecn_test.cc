// ECN of RFC 3168, section 6.1: negotiation, echo, response once in a window; reductions of RFC 8511.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/tcp/receiver.h"
#include "tests/tcp/sender_fixture.h"

namespace clift::tcp {

namespace {

constexpr Nanoseconds ms = 1'000'000;

// A sender with a window of 20 packets whose acknowledgements the test makes.
class Connection {
 public:
  explicit Connection(SenderOptions options) : sender(options, std::unique_ptr<CongestionControl>(control), transmit()) {
    sender.offer(0, 1000);
  }

  void acknowledge(std::int64_t ack, bool has_echo, std::vector<std::pair<std::int64_t, std::int64_t>> blocks = {}) {
    sent.clear();
    Acknowledgement reply;
    reply.now_ns = now_ns += ms;
    reply.ack = ack;
    reply.has_echo = has_echo;
    reply.blocks = std::move(blocks);
    sender.on_ack(reply);
  }

  // Packets sent since the last acknowledgement, with E for ECT, e for ECE, c for CWR.
  std::string sent;
  FixedWindow* control = new FixedWindow(20);
  Nanoseconds now_ns = 0;
  Sender sender;

 private:
  Sender::Transmit transmit() {
    return [this](std::int64_t sequence, bool again) {
      const EcnFlags flags = sender.ecn_flags(sequence, again);
      sent += (sent.empty() ? "" : " ") + std::to_string(sequence) + (flags.is_capable ? "E" : "");
      sent += std::string(flags.has_echo ? "e" : "") + (flags.has_reduced ? "c" : "");
    };
  }
};

SenderOptions with_ecn(bool handshake = true) {
  SenderOptions options;
  options.handshake = handshake;
  options.ecn = true;
  return options;
}

Reply reply_to(Receiver& receiver, std::int64_t sequence, bool is_marked, EcnFlags flags = {true, false, false}) {
  Arrived packet;
  packet.sequence = sequence;
  packet.ecn = flags;
  packet.is_marked = is_marked;
  receiver.on_packet(packet);
  const Reply* reply = receiver.take_reply(0);
  return reply == nullptr ? Reply() : *reply;
}

}  // namespace

TEST(Ecn, IsUsedWhenTheReceiverAgrees) {
  Connection agreed(with_ecn());
  EXPECT_EQ(agreed.sent, "0ec");
  agreed.acknowledge(1, true);
  EXPECT_EQ(agreed.sent.substr(0, 9), "1E 2E 3E ");
  EXPECT_TRUE(agreed.control->events.empty());
  Connection refused(with_ecn());
  refused.acknowledge(1, false);
  EXPECT_EQ(refused.sent.substr(0, 6), "1 2 3 ");
  refused.acknowledge(2, true);
  EXPECT_TRUE(refused.control->events.empty());
  Connection off(SenderOptions{});
  EXPECT_EQ(off.sent, "0");
}

TEST(Ecn, IsNotOfferedByASynThatIsSentAgain) {
  Connection connection(with_ecn());
  connection.sent.clear();
  connection.sender.on_timer(1000 * ms);
  EXPECT_EQ(connection.sent, "0");
  connection.now_ns = 1000 * ms;
  connection.acknowledge(1, true);
  EXPECT_EQ(connection.sent.substr(0, 6), "1 2 3 ");
}

TEST(Ecn, ReducesTheWindowOnceForAWindowOfMarks) {
  Connection connection(with_ecn(false));  // packets 0 to 19 are sent
  connection.acknowledge(1, true);
  ASSERT_EQ(connection.control->events.size(), 1U);
  EXPECT_TRUE(connection.control->events[0].is_mark);
  EXPECT_EQ(connection.control->cwnd(), 10);
  EXPECT_EQ(connection.sent, "");
  for (std::int64_t ack = 2; ack <= 10; ++ack) connection.acknowledge(ack, true);
  EXPECT_EQ(connection.sent, "");
  connection.acknowledge(11, true);
  EXPECT_EQ(connection.sent, "20Ec");  // the first new packet, in a window of 10
  connection.acknowledge(12, true);
  EXPECT_EQ(connection.sent, "21E");
  for (std::int64_t ack = 13; ack <= 20; ++ack) connection.acknowledge(ack, true);
  EXPECT_EQ(connection.control->events.size(), 1U);
  EXPECT_TRUE(connection.control->acks.back().has_echo);
  connection.acknowledge(21, true);  // of a packet that was sent after the reduction
  EXPECT_EQ(connection.control->events.size(), 2U);
  EXPECT_EQ(connection.sender.counters().echoes_answered, 2);
}

TEST(Ecn, TellsOfAReductionForLossesAndAddsNone) {
  Connection connection(with_ecn(false));
  connection.acknowledge(0, false, {{1, 10}});  // 0 is lost: the window becomes 10
  ASSERT_EQ(connection.control->events.size(), 1U);
  EXPECT_FALSE(connection.control->events[0].is_mark);
  EXPECT_EQ(connection.sent.substr(0, 1), "0");
  EXPECT_EQ(connection.sent.find("0E"), std::string::npos);
  connection.acknowledge(20, true);
  EXPECT_EQ(connection.control->events.size(), 1U);
  EXPECT_NE(connection.sent.find("20Ec 21E"), std::string::npos) << connection.sent;
}

TEST(EcnReceiver, AgreesWhenASynOffers) {
  Receiver receiver;
  EXPECT_TRUE(reply_to(receiver, 0, false, {false, true, true}).has_echo);
  EXPECT_FALSE(reply_to(receiver, 1, false).has_echo);
  Receiver other;
  EXPECT_FALSE(reply_to(other, 0, false, {}).has_echo);
}

TEST(EcnReceiver, EchoesAMarkUntilTheSenderHasReduced) {
  Receiver receiver;
  reply_to(receiver, 0, false, {false, true, true});
  EXPECT_TRUE(reply_to(receiver, 1, true).has_echo);
  EXPECT_TRUE(reply_to(receiver, 2, false).has_echo);
  EXPECT_FALSE(reply_to(receiver, 3, false, {true, false, true}).has_echo);
  EXPECT_TRUE(reply_to(receiver, 4, true, {true, false, true}).has_echo);
  EXPECT_FALSE(reply_to(receiver, 5, false, {true, false, true}).has_echo);
  EXPECT_FALSE(reply_to(receiver, 5, true).has_echo);  // a duplicate
}

TEST(EcnReceiver, AcknowledgesAMarkAtOnce) {
  Receiver receiver;
  receiver.delay_acks(true);
  std::int64_t sequence = 0;
  const auto arrive = [&](bool is_marked, Nanoseconds now_ns) {
    Arrived packet;
    packet.sequence = sequence++;
    packet.now_ns = packet.timestamp_ns = now_ns;
    packet.is_marked = is_marked;
    receiver.on_packet(packet);
    return receiver.take_reply(now_ns) != nullptr;
  };
  for (int i = 0; i < 40; ++i) arrive(false, i * ms);
  if (!arrive(false, 40 * ms)) arrive(false, 41 * ms);
  EXPECT_FALSE(arrive(false, 42 * ms));
  EXPECT_TRUE(arrive(false, 43 * ms));
  EXPECT_TRUE(arrive(true, 44 * ms));
}

TEST(EcnReduction, IsSmallerThanThatForALossExceptInSlowStart) {
  for (const auto& [name, for_loss, for_mark] : {std::tuple("reno", 50, 80), std::tuple("cubic", 70, 85)}) {
    for (const bool is_mark : {false, true}) {
      ControlParameters parameters;
      parameters.initial_window = 100;
      const auto control = make_congestion_control(name, parameters);
      control->on_start(0);
      CongestionEvent event;
      event.is_mark = is_mark;
      control->on_enter_recovery(event);
      EXPECT_EQ(control->ssthresh(), for_loss) << name;  // in slow start
      control->on_exit_recovery(0, RecoveryState::recovery);
      control->on_enter_recovery(event);
      EXPECT_EQ(control->ssthresh(), for_loss * (is_mark ? for_mark : for_loss) / 100) << name;
    }
  }
  EXPECT_TRUE(make_congestion_control("westwood", {})->answers_marks());
  EXPECT_FALSE(make_congestion_control("bbr", {})->answers_marks());
  EXPECT_FALSE(make_congestion_control("bbr3", {})->answers_marks());
}

}  // namespace clift::tcp
