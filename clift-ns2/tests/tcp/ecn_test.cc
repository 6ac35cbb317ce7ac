// ECN of RFC 3168, section 6.1: negotiation, echo, response once in a window; reductions of RFC 8511. AccECN of RFC 9768.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/tcp/receiver.h"
#include "tests/tcp/sender_fixture.h"

namespace clift::tcp {

namespace {

struct Window : FixedWindow {
  Window(double packets, bool is_l4s) : FixedWindow(packets), scalable(is_l4s) {}
  bool is_scalable() const override { return scalable; }
  Nanoseconds least_round_ns() const override { return round_ns; }
  bool scalable;
  Nanoseconds round_ns = 0;
};

// A sender with a window of 20 packets or another one, whose acknowledgements the test makes.
class Connection {
 public:
  explicit Connection(SenderOptions options, bool is_scalable = false, double window = 20)
      : control(new Window(window, is_scalable)), sender(options, std::unique_ptr<CongestionControl>(control), transmit()) {
    sender.offer(0, 1000);
  }

  void acknowledge(std::int64_t ack, int ace, std::vector<std::pair<std::int64_t, std::int64_t>> blocks = {}) {
    sent.clear();
    Acknowledgement reply;
    reply.now_ns = now_ns += ms;
    reply.ack = ack;
    reply.ace = ace;
    reply.blocks = std::move(blocks);
    sender.on_ack(reply);
  }

  // Packets sent since the last acknowledgement, with E for ECT(0), L for ECT(1), e for ECE, c for CWR, a for AE.
  std::string sent;
  Window* control;
  Nanoseconds now_ns = 0;
  Sender sender;

 private:
  Sender::Transmit transmit() {
    return [this](std::int64_t sequence, bool again) {
      const EcnFlags flags = sender.ecn_flags(sequence, again);
      sent += (sent.empty() ? "" : " ") + std::to_string(sequence);
      sent += flags.codepoint == Ecn::ect_0 ? "E" : flags.codepoint == Ecn::ect_1 ? "L" : "";
      sent += std::string((flags.ace & ece) != 0 ? "e" : "") + ((flags.ace & cwr) != 0 ? "c" : "");
      if ((flags.ace & ae) != 0) sent += "a";
    };
  }
};

SenderOptions with_ecn(bool handshake = true, EcnMode ecn = EcnMode::classic) {
  SenderOptions options;
  options.handshake = handshake;
  options.ecn = ecn;
  return options;
}

// The flags of the acknowledgement of a packet; -1: it waits.
int reply_to(Receiver& receiver, std::int64_t sequence, bool is_marked, int ace = 0) {
  Arrived packet;
  packet.sequence = sequence;
  packet.ecn = {is_marked ? Ecn::ce : Ecn::ect_0, ace};
  receiver.on_packet(packet);
  const Reply* reply = receiver.take_reply(0);
  return reply == nullptr ? -1 : reply->ace;
}

}  // namespace

TEST(Ecn, IsUsedWhenTheReceiverAgrees) {
  Connection agreed(with_ecn());
  EXPECT_EQ(agreed.sent, "0ec");
  agreed.acknowledge(1, ece);
  EXPECT_EQ(agreed.sent.substr(0, 9), "1E 2E 3E ");
  EXPECT_TRUE(agreed.control->events.empty());
  Connection refused(with_ecn());
  refused.acknowledge(1, 0);
  EXPECT_EQ(refused.sent.substr(0, 6), "1 2 3 ");
  refused.acknowledge(2, ece);
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
  connection.acknowledge(1, ece);
  EXPECT_EQ(connection.sent.substr(0, 6), "1 2 3 ");
}

TEST(Ecn, ReducesTheWindowOnceForAWindowOfMarks) {
  Connection connection(with_ecn(false));  // packets 0 to 19 are sent
  connection.acknowledge(1, ece);
  ASSERT_EQ(connection.control->events.size(), 1U);
  EXPECT_TRUE(connection.control->events[0].is_mark);
  EXPECT_EQ(connection.control->cwnd(), 10);
  EXPECT_EQ(connection.sent, "");
  for (std::int64_t ack = 2; ack <= 10; ++ack) connection.acknowledge(ack, ece);
  EXPECT_EQ(connection.sent, "");
  connection.acknowledge(11, ece);
  EXPECT_EQ(connection.sent, "20Ec");  // the first new packet, in a window of 10
  connection.acknowledge(12, ece);
  EXPECT_EQ(connection.sent, "21E");
  for (std::int64_t ack = 13; ack <= 20; ++ack) connection.acknowledge(ack, ece);
  EXPECT_EQ(connection.control->events.size(), 1U);
  EXPECT_TRUE(connection.control->acks.back().has_echo);
  connection.acknowledge(21, ece);  // of a packet that was sent after the reduction
  EXPECT_EQ(connection.control->events.size(), 2U);
  EXPECT_EQ(connection.sender.counters().echoes_answered, 2);
}

TEST(Ecn, TellsOfAReductionForLossesAndAddsNone) {
  Connection connection(with_ecn(false));
  connection.acknowledge(0, 0, {{1, 10}});  // 0 is lost: the window becomes 10
  ASSERT_EQ(connection.control->events.size(), 1U);
  EXPECT_FALSE(connection.control->events[0].is_mark);
  EXPECT_EQ(connection.sent.substr(0, 1), "0");
  EXPECT_EQ(connection.sent.find("0E"), std::string::npos);
  connection.acknowledge(20, ece);
  EXPECT_EQ(connection.control->events.size(), 1U);
  EXPECT_NE(connection.sent.find("20Ec 21E"), std::string::npos) << connection.sent;
}

// Table 2 of RFC 9768.
TEST(AccurateEcn, IsWhatBothEndsHave) {
  Connection agreed(with_ecn(true, EcnMode::accurate));
  EXPECT_EQ(agreed.sent, "0eca");
  agreed.acknowledge(1, cwr);  // the SYN was not ECN-capable
  EXPECT_EQ(agreed.sent.substr(0, 12), "1Eea 2Eea 3E");  // ACE is 5 (section 3.2.2)
  Connection l4s(with_ecn(true, EcnMode::accurate), true);
  l4s.acknowledge(1, cwr);
  EXPECT_EQ(l4s.sent.substr(0, 9), "1Lea 2Lea");
  Connection classic(with_ecn(true, EcnMode::accurate), true);
  classic.acknowledge(1, ece);
  EXPECT_EQ(classic.sent.substr(0, 6), "1E 2E ");
  for (const int no_answer : {0, ae | cwr | ece}) {
    Connection refused(with_ecn(true, EcnMode::accurate));
    refused.acknowledge(1, no_answer);
    EXPECT_EQ(refused.sent.substr(0, 4), "1 2 ");
  }
}

TEST(AccurateEcn, IsOfferedTwice) {
  Connection connection(with_ecn(true, EcnMode::accurate));
  connection.sent.clear();
  connection.sender.on_timer(1000 * ms);
  connection.sender.on_timer(3000 * ms);
  EXPECT_EQ(connection.sent, "0eca 0");
}

// The counter is 5 at first. Marks of an ACK are the increment modulo 8.
TEST(AccurateEcn, CountsMarks) {
  Connection connection(with_ecn(false, EcnMode::accurate));  // packets 0 to 19 are sent
  const auto marked = [&](std::int64_t ack, std::int64_t counter) {
    connection.acknowledge(ack, static_cast<int>(counter % 8));
    return connection.control->acks.back().newly_marked;
  };
  EXPECT_EQ(marked(1, 5), 0);
  EXPECT_TRUE(connection.control->events.empty());
  EXPECT_EQ(marked(2, 6), 1);
  EXPECT_EQ(connection.control->events.size(), 1U);
  EXPECT_EQ(marked(6, 10), 4);
  EXPECT_EQ(marked(13, 10), 0);
  EXPECT_EQ(connection.control->events.size(), 1U);
  EXPECT_EQ(connection.sent.find('c'), std::string::npos);  // no CWR
  connection.acknowledge(13, 3);  // it delivers nothing
  EXPECT_EQ(marked(14, 10), 0);
}

// 16 packets and an increment of 1 are 1 or 9 marks. While every packet is marked, the average share is 1 - (64 / 65)^n after
// n ACKs of one packet: .14 after 10, of which 16 packets have 2.3 marks; .61 after 60, of which they have 9.7.
TEST(AccurateEcn, JudgesByTheShareOfMarksWhetherTheCounterHasCycled) {
  for (const auto& [before, marks] : {std::pair(0, 1), std::pair(10, 1), std::pair(60, 9)}) {
    Connection connection(with_ecn(false, EcnMode::accurate), true, 100);
    connection.control->round_ns = 1000 * ms;  // one reduction
    for (int i = 1; i <= before; ++i) connection.acknowledge(i, (5 + i) % 8);
    connection.acknowledge(before + 16, (5 + before + 1) % 8);
    EXPECT_EQ(connection.control->acks.back().newly_marked, marks) << before;
  }
}

TEST(AccurateEcn, AnswersMarksAsRarelyAsTheControlAsks) {
  Connection connection(with_ecn(false, EcnMode::accurate), true);
  connection.control->round_ns = 40 * ms;
  int counter = 5;
  for (std::int64_t ack = 1; ack <= 60; ++ack) connection.acknowledge(ack, ++counter & 7);
  // One packet a millisecond: rounds are at most 20 ms, but answers come 40 ms apart, at 1 and 41 ms.
  EXPECT_EQ(connection.control->events.size(), 2U);
  EXPECT_EQ(connection.control->acks.back().newly_marked, 1);
}

// A mark after none and each second mark are acknowledged at once (section 3.2.2.5.1).
TEST(EcnReceiver, CountsMarksModulo8) {
  Receiver receiver;
  EXPECT_EQ(reply_to(receiver, 0, false, accurate_offer), not_ect_syn);
  for (int i = 1; i <= 12; ++i) EXPECT_EQ(reply_to(receiver, i, true, first_ce_count), (5 + i) % 8);
  EXPECT_EQ(reply_to(receiver, 13, false, first_ce_count), 1);
  EXPECT_EQ(reply_to(receiver, 13, true, first_ce_count), 2);  // a duplicate
}

class Delaying {
 public:
  explicit Delaying(int offer) {
    receiver.delay_acks(true);
    for (int i = 0; i < 41; ++i) arrive(false, i == 0 ? offer : 0);
    if (last.empty()) arrive(false);
  }
  // Acknowledgements at once: the first missing packet and the flags.
  std::string arrive(bool is_marked, int ace = 0) {
    now_ns += ms;
    receiver.on_packet({sequence++, now_ns, now_ns, false, -1, {is_marked ? Ecn::ce : Ecn::ect_0, ace}});
    last.clear();
    while (const Reply* reply = receiver.take_reply(now_ns)) {
      last += (last.empty() ? "" : " ") + std::to_string(reply->ack - sequence) + ":" + std::to_string(reply->ace);
    }
    return last;
  }
  Receiver receiver;

 private:
  std::int64_t sequence = 0;
  Nanoseconds now_ns = 0;
  std::string last;
};

TEST(EcnReceiver, AcknowledgesCountedMarksAtOnce) {
  Delaying f(accurate_offer);
  EXPECT_EQ(f.arrive(true), "0:6");
  EXPECT_EQ(f.arrive(true), "");
  EXPECT_EQ(f.arrive(true), "0:0");
  EXPECT_EQ(f.arrive(false), "");
  EXPECT_EQ(f.arrive(true), "0:1");
}

// RFC 8257, section 3.2: two acknowledgements at a change, of the packets before it and of the packet itself.
TEST(EcnReceiver, OfDctcpEchoesEachMark) {
  Delaying f(classic_offer);
  f.receiver.echo_each_mark(true);
  EXPECT_EQ(f.arrive(false), "");
  EXPECT_EQ(f.arrive(true), "-1:0 0:1");
  EXPECT_EQ(f.arrive(true, cwr), "");
  EXPECT_EQ(f.arrive(true), "0:1");
  EXPECT_EQ(f.arrive(false), "0:0");
  EXPECT_EQ(f.arrive(false), "");
  EXPECT_EQ(f.arrive(false), "0:0");
}

TEST(EcnReceiver, AgreesWhenASynOffers) {
  Receiver receiver;
  EXPECT_EQ(reply_to(receiver, 0, false, classic_offer), ece);
  EXPECT_EQ(reply_to(receiver, 1, false), 0);
  Receiver other;
  EXPECT_EQ(reply_to(other, 0, false), 0);
}

TEST(EcnReceiver, EchoesAMarkUntilTheSenderHasReduced) {
  Receiver receiver;
  reply_to(receiver, 0, false, classic_offer);
  EXPECT_EQ(reply_to(receiver, 1, true), ece);
  EXPECT_EQ(reply_to(receiver, 2, false), ece);
  EXPECT_EQ(reply_to(receiver, 3, false, cwr), 0);
  EXPECT_EQ(reply_to(receiver, 4, true, cwr), ece);
  EXPECT_EQ(reply_to(receiver, 5, false, cwr), 0);
  EXPECT_EQ(reply_to(receiver, 5, true), 0);  // a duplicate
}

TEST(EcnReceiver, AcknowledgesAMarkAtOnce) {
  Receiver receiver;
  receiver.delay_acks(true);
  std::int64_t sequence = 0;
  const auto arrive = [&](bool is_marked, Nanoseconds now_ns) {
    Arrived packet;
    packet.sequence = sequence++;
    packet.now_ns = packet.timestamp_ns = now_ns;
    packet.ecn.codepoint = is_marked ? Ecn::ce : Ecn::ect_0;
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
