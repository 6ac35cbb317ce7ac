// Careful Resume by the numbers of RFC 9959, appendix B: ten initial packets, 29 in flight at the jump, a saved window of
// 300 packets. The saved RTT is 100 ms, packets with data are numbered from 1.
#include "core/tcp/congestion/careful_resume.h"

#include <gtest/gtest.h>

#include "core/tcp/congestion/cubic.h"
#include "core/tcp/congestion/reno.h"
#include "tests/congestion/script.h"

namespace clift::tcp {
namespace {

using Phase = CarefulResume::Phase;

constexpr SavedPath saved = {300.0, 100 * millisecond, never};

template <typename Control>
struct Resumed {
  explicit Resumed(const SavedPath& path = saved)
      : control(std::make_unique<Control>(ControlParameters{}), path, ControlParameters{}.initial_window) {}

  // In-order ACKs of `packets`, one ACK, which leaves `in_flight` packets.
  void ack(std::int64_t packets, std::int64_t in_flight, std::int64_t out_of_order = 0) {
    AckSample sample;
    sample.now_ns = now_ns;
    sample.newly_acked = packets;
    sample.newly_delivered = packets + out_of_order;
    sample.snd_una = una += packets;
    sample.snd_nxt = nxt;
    sample.delivered = delivered += packets + out_of_order;
    sample.last_delivered = last_delivered = std::max(last_delivered, una - 1) + out_of_order;
    sample.in_flight = in_flight;
    sample.rtt_ns = sample.srtt_ns = rtt_ns;
    sample.min_rtt_ns = min_rtt_ns = std::min(min_rtt_ns, rtt_ns);
    sample.is_cwnd_limited = is_cwnd_limited;
    sample.state = state;
    control.on_ack(sample);
  }

  void transmit(std::int64_t in_flight) {
    ++nxt;
    control.on_transmit({now_ns, in_flight, false});
  }

  // The initial packets are acknowledged, in two round trips; the sender has used the window.
  void reconnoitre() {
    now_ns = 200 * millisecond;
    nxt = 11;
    ack(9, 1);
    nxt = 40;
    ack(1, 29);
  }

  // 121 packets fill the window of 150, within the RTT.
  void send_the_jump() {
    for (std::int64_t in_flight = 29; in_flight < 150; ++in_flight) {
      now_ns += 100 * millisecond / 150;
      transmit(in_flight);
    }
  }

  // A loss is found when `packets` more were delivered by this ACK.
  void lose(std::int64_t packets) {
    CongestionEvent event;
    event.in_flight = 100;
    event.delivered = delivered + packets;
    control.on_enter_recovery(event);
    state = RecoveryState::recovery;
  }

  CarefulResume control;
  Nanoseconds now_ns = 0, rtt_ns = 100 * millisecond, min_rtt_ns = never;
  std::int64_t una = 1, nxt = 1, delivered = 1, last_delivered = 0;  // the SYN was delivered
  bool is_cwnd_limited = true;
  RecoveryState state = RecoveryState::open;
};

TEST(CarefulResume, JumpsWhenTheInitialPacketsAreAcknowledged) {
  Resumed<Reno> flow;
  flow.now_ns = 200 * millisecond;
  flow.nxt = 11;
  flow.ack(9, 1);
  EXPECT_EQ(flow.control.phase(), Phase::reconnaissance);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 19.0);  // slow start
  EXPECT_DOUBLE_EQ(flow.control.pacing_rate(), 0.0);
  flow.ack(1, 29);
  EXPECT_EQ(flow.control.phase(), Phase::unvalidated);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 150.0);           // half of the saved window
  EXPECT_DOUBLE_EQ(flow.control.pacing_rate(), 1500.0);   // over the current RTT of 100 ms
  EXPECT_DOUBLE_EQ(flow.control.pipe(flow.delivered), 29.0);
}

TEST(CarefulResume, PacesOverTheCurrentRtt) {
  Resumed<Reno> flow;
  flow.rtt_ns = 250 * millisecond;
  flow.reconnoitre();
  EXPECT_DOUBLE_EQ(flow.control.pacing_rate(), 600.0);
}

TEST(CarefulResume, ValidatesTheJumpWhenTheWindowIsUsed) {
  Resumed<Reno> flow;
  flow.reconnoitre();
  flow.send_the_jump();
  EXPECT_EQ(flow.control.phase(), Phase::validating);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 150.0);
  EXPECT_DOUBLE_EQ(flow.control.pacing_rate(), 0.0);
  // The first 29 were sent before the jump. Then the window grows by slow start, and PipeSize with each packet.
  flow.ack(29, 121);
  EXPECT_DOUBLE_EQ(flow.control.pipe(flow.delivered), 29.0);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 179.0);
  flow.ack(1, 149);
  EXPECT_DOUBLE_EQ(flow.control.pipe(flow.delivered), 30.0);
  flow.ack(119, 30);
  EXPECT_EQ(flow.control.phase(), Phase::validating);
  flow.ack(1, 29);  // the last of the jump, packet 160
  EXPECT_EQ(flow.control.phase(), Phase::normal);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 300.0);
  EXPECT_EQ(flow.control.ssthresh(), infinite_ssthresh);
}

TEST(CarefulResume, DoesNotGrowDuringTheJump) {
  Resumed<Reno> flow;
  flow.reconnoitre();
  flow.ack(20, 60);
  EXPECT_EQ(flow.control.phase(), Phase::unvalidated);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 150.0);
}

TEST(CarefulResume, EndsTheJumpAfterARoundTrip) {
  // 50 packets of 121 were sent (appendix B.2): the window is the flight, not what was allowed.
  for (const bool by_ack : {true, false}) {
    Resumed<Reno> flow;
    flow.reconnoitre();
    for (std::int64_t i = 0; i < 50; ++i) flow.transmit(29 + i);
    flow.ack(29, 50);
    EXPECT_EQ(flow.control.phase(), Phase::unvalidated);
    flow.now_ns += 100 * millisecond + 1;
    if (by_ack) {
      flow.ack(0, 50);
    } else {
      flow.transmit(49);
    }
    EXPECT_EQ(flow.control.phase(), Phase::validating);
    EXPECT_DOUBLE_EQ(flow.control.cwnd(), 50.0);
  }
}

TEST(CarefulResume, EndsTheJumpWithTheFirstAcknowledgementOfItsPackets) {
  Resumed<Reno> flow;
  flow.reconnoitre();
  for (std::int64_t i = 0; i < 60; ++i) flow.transmit(29 + i);
  flow.ack(29, 60);  // up to packet 39
  EXPECT_EQ(flow.control.phase(), Phase::unvalidated);
  flow.ack(1, 59);
  EXPECT_EQ(flow.control.phase(), Phase::validating);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 59.0);
}

TEST(CarefulResume, GivesUpWhenTheApplicationSendsNoMoreThanBefore) {
  // 20 packets are in flight after a round trip: no more than PipeSize, 29, which becomes the window.
  Resumed<Reno> flow;
  flow.reconnoitre();
  flow.now_ns += 101 * millisecond;
  flow.ack(9, 20);
  EXPECT_EQ(flow.control.phase(), Phase::normal);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 29.0);
}

TEST(CarefulResume, RetreatsFromALoss) {
  // Appendix B.4: the 35th packet of the jump is lost, when 34 are acknowledged. PipeSize is 29 + 34 = 63.
  Resumed<Reno> flow;
  flow.reconnoitre();
  flow.send_the_jump();
  flow.ack(29 + 33, 88);
  flow.lose(1);
  EXPECT_EQ(flow.control.phase(), Phase::safe_retreat);
  EXPECT_TRUE(flow.control.regulates_recovery());  // no proportional rate reduction
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 31.5);
  flow.ack(1, 86);
  EXPECT_DOUBLE_EQ(flow.control.pipe(flow.delivered), 63.0);
  // 85 of the other 86 are selectively acknowledged: the window stands still.
  flow.ack(0, 20, 85);
  EXPECT_EQ(flow.control.phase(), Phase::safe_retreat);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 31.5);
  // The last of them: 149 packets, counting the 29. ssthresh is half of it.
  ++flow.last_delivered;  // over the lost one
  flow.ack(0, 20, 1);
  EXPECT_EQ(flow.control.phase(), Phase::normal);
  EXPECT_DOUBLE_EQ(flow.control.pipe(flow.delivered), 149.0);
  EXPECT_EQ(flow.control.ssthresh(), 74);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 31.5);
  // Recovery ends with the retransmission; slow start goes on from the window, not from ssthresh.
  flow.control.on_exit_recovery(flow.now_ns, RecoveryState::recovery);
  flow.state = RecoveryState::open;
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 31.5);
  EXPECT_FALSE(flow.control.regulates_recovery());
  flow.ack(10, 20);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 41.5);
}

TEST(CarefulResume, RetreatsFromAMark) {
  // As from the loss of appendix B.4; the sender ends the response to a mark at once.
  Resumed<Reno> flow;
  EXPECT_TRUE(flow.control.answers_marks());
  flow.reconnoitre();
  flow.send_the_jump();
  flow.ack(29 + 33, 88);
  CongestionEvent event;
  event.in_flight = 88;
  event.delivered = flow.delivered + 1;
  event.is_mark = true;
  flow.control.on_enter_recovery(event);
  flow.control.on_exit_recovery(flow.now_ns, RecoveryState::recovery);
  EXPECT_EQ(flow.control.phase(), Phase::safe_retreat);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 31.0);  // whole packets
  // The packets of the jump are acknowledged: ssthresh is half of 150 packets.
  flow.ack(88, 0);
  EXPECT_EQ(flow.control.phase(), Phase::normal);
  EXPECT_EQ(flow.control.ssthresh(), 75);
}

TEST(CarefulResume, GrowsToTheThresholdWhileRecoveryGoesOn) {
  Resumed<Reno> flow;
  flow.reconnoitre();
  flow.send_the_jump();
  flow.ack(29 + 34, 87);
  flow.lose(0);
  ++flow.last_delivered;
  flow.ack(0, 20, 86);
  ASSERT_EQ(flow.control.phase(), Phase::normal);
  ASSERT_EQ(flow.control.ssthresh(), 74);
  flow.ack(0, 20, 30);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 61.5);
  flow.ack(0, 20, 30);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 74.0);
}

TEST(CarefulResume, TakesCubicsFactorWithCubic) {
  Resumed<Cubic> flow;
  flow.reconnoitre();
  flow.send_the_jump();
  flow.ack(29 + 34, 87);
  flow.lose(0);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 31.5);
  ++flow.last_delivered;
  flow.ack(0, 20, 86);
  EXPECT_EQ(flow.control.ssthresh(), 104);  // .7 x 149
}

TEST(CarefulResume, RetreatsWhenTheRttShrinksDuringTheJump) {
  Resumed<Reno> flow;
  flow.reconnoitre();
  flow.rtt_ns = 50 * millisecond;
  flow.ack(20, 60);
  EXPECT_EQ(flow.control.phase(), Phase::safe_retreat);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 14.5);
  EXPECT_FALSE(flow.control.regulates_recovery());  // nothing is lost
}

TEST(CarefulResume, EndsWithATimeout) {
  Resumed<Reno> flow;
  flow.reconnoitre();
  flow.send_the_jump();
  CongestionEvent event;
  event.delivered = flow.delivered;
  flow.control.on_timeout(event);
  EXPECT_EQ(flow.control.phase(), Phase::normal);
  EXPECT_DOUBLE_EQ(flow.control.cwnd(), 1.0);
  EXPECT_EQ(flow.control.ssthresh(), 14);  // half of PipeSize
}

TEST(CarefulResume, DoesNotJumpAfterCongestion) {
  Resumed<Reno> flow;
  flow.nxt = 11;
  flow.ack(3, 7);
  flow.lose(0);
  EXPECT_EQ(flow.control.phase(), Phase::normal);
  EXPECT_EQ(flow.control.ssthresh(), 6);  // half of 13: as without Careful Resume
  EXPECT_FALSE(flow.control.regulates_recovery());
  flow.control.on_exit_recovery(0, RecoveryState::recovery);
  flow.state = RecoveryState::open;
  flow.ack(7, 20);
  EXPECT_LT(flow.control.cwnd(), 10.0);
}

// Whether a flow with these saved values jumps.
Phase phase_after_the_initial_packets(const SavedPath& path, Nanoseconds rtt_ns) {
  Resumed<Reno> flow(path);
  flow.rtt_ns = rtt_ns;
  flow.reconnoitre();
  if (flow.control.phase() == Phase::normal) {
    EXPECT_DOUBLE_EQ(flow.control.cwnd(), 20.0);
  }
  return flow.control.phase();
}

TEST(CarefulResume, ComparesTheRtt) {
  // More than half, no more than ten times.
  EXPECT_EQ(phase_after_the_initial_packets(saved, 50 * millisecond), Phase::normal);
  EXPECT_EQ(phase_after_the_initial_packets(saved, 51 * millisecond), Phase::unvalidated);
  EXPECT_EQ(phase_after_the_initial_packets(saved, 1000 * millisecond), Phase::unvalidated);
  EXPECT_EQ(phase_after_the_initial_packets(saved, 1010 * millisecond), Phase::normal);
}

TEST(CarefulResume, ForgetsValuesAtTheEndOfTheirLifetime) {
  EXPECT_EQ(phase_after_the_initial_packets({300.0, 100 * millisecond, 200 * millisecond}, 100 * millisecond),
            Phase::normal);
  EXPECT_EQ(phase_after_the_initial_packets({300.0, 100 * millisecond, 200 * millisecond + 1}, 100 * millisecond),
            Phase::unvalidated);
}

TEST(CarefulResume, DoesNotJumpDownwards) {
  EXPECT_EQ(phase_after_the_initial_packets({40.0, 100 * millisecond, never}, 100 * millisecond), Phase::normal);
  EXPECT_EQ(phase_after_the_initial_packets({41.0, 100 * millisecond, never}, 100 * millisecond), Phase::unvalidated);
}

TEST(CarefulResume, WaitsUntilTheApplicationHasEnoughToSend) {
  Resumed<Reno> flow;
  flow.is_cwnd_limited = false;
  flow.reconnoitre();
  EXPECT_EQ(flow.control.phase(), Phase::reconnaissance);
  flow.is_cwnd_limited = true;
  flow.ack(1, 28);
  EXPECT_EQ(flow.control.phase(), Phase::unvalidated);
}

}  // namespace
}  // namespace clift::tcp
