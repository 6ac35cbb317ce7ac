// The parts of the sender that keep little state, by examples from their specifications and by hand.
#include <gtest/gtest.h>

#include "core/tcp/forward_rto.h"
#include "core/tcp/pacer.h"
#include "core/tcp/proportional_rate_reduction.h"
#include "core/tcp/rate_sampler.h"
#include "core/tcp/rtt_estimator.h"
#include "core/tcp/tail_loss_probe.h"
#include "core/tcp/undo.h"
#include "core/tcp/window_usage.h"
#include "tests/milliseconds.h"

namespace clift::tcp {
namespace {

// ---- RFC 6298

TEST(RttEstimator, StartsWithASecond) {
  RttEstimator rtt;
  EXPECT_EQ(rtt.rto_ns(), 1000 * ms);
  rtt.back_off();
  rtt.back_off();
  EXPECT_EQ(rtt.rto_ns(), 4000 * ms);
  rtt.end_backoff();
  EXPECT_EQ(rtt.rto_ns(), 1000 * ms);
}

TEST(RttEstimator, TakesTheFirstSampleAsRfc6298Says) {
  RttEstimator rtt;
  rtt.sample(500 * ms, true);
  EXPECT_EQ(rtt.srtt_ns(), 500 * ms);
  EXPECT_EQ(rtt.rttvar_ns(), 250 * ms);
  EXPECT_EQ(rtt.rto_ns(), 1500 * ms);
}

TEST(RttEstimator, FollowsSrttByAnEighth) {
  RttEstimator rtt;
  rtt.sample(400 * ms, true);
  rtt.sample(480 * ms, false);
  EXPECT_EQ(rtt.srtt_ns(), 410 * ms);
  EXPECT_EQ(rtt.min_rtt_ns(), 400 * ms);
}

TEST(RttEstimator, KeepsTheVariationsTermAbove200Milliseconds) {
  RttEstimator rtt;
  for (int round = 0; round < 100; ++round) rtt.sample(500 * ms, true);
  EXPECT_NEAR(static_cast<double>(rtt.rto_ns()), 700e6, 1e3);
}

TEST(RttEstimator, RaisesTheVariationAtOnceAndLowersItOnceARound) {
  RttEstimator rtt;
  for (int round = 0; round < 100; ++round) rtt.sample(500 * ms, true);
  rtt.sample(1300 * ms, false);  // deviation: 800 / 4 = 200 ms, beyond the 50 ms that it was
  EXPECT_NEAR(static_cast<double>(rtt.rttvar_ns()), 200e6, 1e6);
  for (int i = 0; i < 10; ++i) rtt.sample(600 * ms, false);
  EXPECT_NEAR(static_cast<double>(rtt.rttvar_ns()), 200e6, 1e6);
}

TEST(RttEstimator, BoundsTheBackOff) {
  RttEstimator rtt;
  for (int i = 0; i < 70; ++i) rtt.back_off();
  EXPECT_EQ(rtt.rto_ns(), 120'000 * ms);
}

// ---- RFC 9937, by the examples of RFC 6937, section 3.1: flight 20, ssthresh 10, two packets by limited transmit
// before recovery begins with the third duplicate ACK

struct Round {
  std::vector<std::int64_t> pipe;  // before the packets that the ACK admits
  std::vector<std::int64_t> sent;
};

// ACKs `from` to 19 of a flight of which `lost` first packets are missing; the third one of all begins recovery.
Round prr_round(std::int64_t lost) {
  ProportionalRateReduction prr;
  const std::int64_t begins = lost + 2;
  // Two packets left by limited transmit: 22 are sent, two of them known to be delivered.
  prr.begin(10, 22 - 2);
  Round round;
  std::int64_t pipe = 22 - 2 - lost;  // when the third duplicate ACK arrives, the lost ones are known
  for (std::int64_t ack = begins; ack < 20; ++ack) {
    pipe -= 1;
    prr.on_ack(1, pipe, false);
    round.pipe.push_back(pipe);
    std::int64_t sent = 0;
    for (; pipe < prr.cwnd(); ++pipe, ++sent) prr.on_sent();
    round.sent.push_back(sent);
  }
  return round;
}

TEST(ProportionalRateReduction, HalvesTheFlightOverARoundAfterASingleLoss) {
  const Round round = prr_round(1);
  // ACKs 3 to 19: one packet for every second ACK, until the flight is ssthresh.
  EXPECT_EQ(round.sent, (std::vector<std::int64_t>{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0}));
  const std::vector<std::int64_t> pipe = {18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10};
  EXPECT_EQ(round.pipe, pipe);
}

TEST(ProportionalRateReduction, ConservesPacketsWhenFifteenAreLost) {
  // The second example's row PRR-CRB, since no ACK advances: one packet for each ACK, the pipe stays at 4.
  const Round round = prr_round(15);
  EXPECT_EQ(round.pipe, (std::vector<std::int64_t>{4, 4, 4}));
  EXPECT_EQ(round.sent, (std::vector<std::int64_t>{1, 1, 1}));
}

TEST(ProportionalRateReduction, SendsOneMoreWhileRecoveryMakesProgress) {
  ProportionalRateReduction prr;
  prr.begin(10, 20);
  prr.on_ack(1, 4, false);
  EXPECT_EQ(prr.cwnd(), 5);
  prr.on_sent();
  prr.on_ack(1, 4, true);  // RFC 9937: SafeACK adds a packet to those delivered
  EXPECT_EQ(prr.cwnd(), 6);
}

TEST(ProportionalRateReduction, NeverPassesSsthresh) {
  ProportionalRateReduction prr;
  prr.begin(10, 20);
  prr.on_ack(8, 9, true);
  EXPECT_EQ(prr.cwnd(), 10);
}

TEST(ProportionalRateReduction, AllowsTheFirstRetransmissionInAnyCase) {
  ProportionalRateReduction prr;
  prr.begin(10, 20);
  prr.on_ack(1, 10, false);  // as large as ssthresh: nothing is left
  EXPECT_EQ(prr.cwnd(), 11);
  prr.on_sent();
  prr.on_ack(1, 10, false);
  EXPECT_EQ(prr.cwnd(), 10);
}

TEST(ProportionalRateReduction, SendsNothingForAnAckThatDeliversNothing) {
  ProportionalRateReduction prr;
  prr.begin(10, 20);
  prr.on_ack(3, 4, false);
  prr.on_ack(0, 2, false);
  EXPECT_EQ(prr.cwnd(), 2);
}

// ---- RFC 8985, section 7

TEST(TailLossProbe, WaitsTwoRoundTripsAndForAnAckThatMayBeHeldBack) {
  EXPECT_EQ(TailLossProbe::timeout_ns(0, 5), 1000 * ms);
  EXPECT_EQ(TailLossProbe::timeout_ns(100 * ms, 5), 200 * ms);
  EXPECT_EQ(TailLossProbe::timeout_ns(100 * ms, 1), 400 * ms);
}

TEST(TailLossProbe, TellsARepairedLossFromANeedlessProbe) {
  TailLossProbe probe;
  probe.on_sent(10, true);
  EXPECT_FALSE(probe.on_ack(9, false, false));   // not about the probe
  EXPECT_FALSE(probe.on_ack(10, false, false));  // one of both copies arrived
  EXPECT_TRUE(probe.is_outstanding());
  EXPECT_TRUE(probe.on_ack(11, false, false));   // the other one never did
  EXPECT_FALSE(probe.is_outstanding());

  probe.on_sent(10, true);
  EXPECT_TRUE(probe.is_answered_by(9));
  EXPECT_FALSE(probe.on_ack(10, false, true));   // a DSACK: both arrived
  EXPECT_FALSE(probe.is_outstanding());

  probe.on_sent(10, true);
  EXPECT_FALSE(probe.on_ack(10, true, false));   // a bare duplicate ACK: both arrived
  EXPECT_FALSE(probe.is_outstanding());

  probe.on_sent(10, false);
  EXPECT_FALSE(probe.on_ack(11, false, false));  // it was new data
  EXPECT_FALSE(probe.is_outstanding());
}

TEST(TailLossProbe, IsSentOnceUntilARoundTripIsMeasured) {
  TailLossProbe probe;
  EXPECT_FALSE(probe.may_be_sent());  // nothing was measured since the start
  probe.on_rtt_sample();
  EXPECT_TRUE(probe.may_be_sent());
  probe.on_sent(10, true);
  EXPECT_FALSE(probe.on_ack(10, false, true));
  EXPECT_FALSE(probe.may_be_sent());  // its answer was ambiguous
  probe.on_rtt_sample();
  EXPECT_TRUE(probe.may_be_sent());
  probe.on_sent(20, false);
  probe.on_rtt_sample();
  EXPECT_FALSE(probe.may_be_sent());  // it is still on its way
}

// ---- RFC 5682, section 3

ForwardRto::Ack ack(std::int64_t una, bool advances) {
  ForwardRto::Ack seen;
  seen.una = una;
  seen.advances = advances;
  seen.is_duplicate = !advances;
  return seen;
}

TEST(ForwardRto, FindsADelaySpikeByTwoAcks) {
  ForwardRto frto;
  frto.begin(20);
  EXPECT_EQ(frto.on_ack(ack(5, false)), ForwardRto::Verdict::none);  // step 2 waits for a new ACK
  EXPECT_EQ(frto.on_ack(ack(6, true)), ForwardRto::Verdict::send_new);
  ForwardRto::Ack second = ack(7, true);
  second.delivers_original = true;
  EXPECT_EQ(frto.on_ack(second), ForwardRto::Verdict::spurious);
  EXPECT_FALSE(frto.is_active());
}

TEST(ForwardRto, TakesALossForALoss) {
  ForwardRto frto;
  frto.begin(20);
  EXPECT_EQ(frto.on_ack(ack(6, true)), ForwardRto::Verdict::send_new);
  ForwardRto::Ack second = ack(6, false);  // the new data arrived, the hole is still there
  second.delivers_new = true;
  EXPECT_EQ(frto.on_ack(second), ForwardRto::Verdict::genuine);
}

TEST(ForwardRto, DoesNotTrustAnAckThatCoversNewDataAsWell) {
  ForwardRto frto;
  frto.begin(20);
  EXPECT_EQ(frto.on_ack(ack(6, true)), ForwardRto::Verdict::send_new);
  ForwardRto::Ack second = ack(6, false);  // an older report was lost on its way
  second.delivers_original = second.delivers_new = true;
  EXPECT_EQ(frto.on_ack(second), ForwardRto::Verdict::genuine);  // step 3a comes before 3b
}

TEST(ForwardRto, GivesUpWhenTheRetransmissionFilledTheOnlyHole) {
  ForwardRto frto;
  frto.begin(20);
  EXPECT_EQ(frto.on_ack(ack(20, true)), ForwardRto::Verdict::genuine);
  EXPECT_FALSE(frto.is_active());
}

// ---- RFC 3522 and 3708

TEST(UndoDetector, ComparesTheEchoWithTheFirstRetransmission) {
  UndoDetector undo;
  undo.begin();
  undo.on_retransmitted(5, 1000);
  undo.on_retransmitted(7, 1100);
  EXPECT_TRUE(undo.is_caused_by_late_packet(999));
  EXPECT_FALSE(undo.is_caused_by_late_packet(1000));
  EXPECT_FALSE(undo.is_caused_by_late_packet(-1));  // no timestamps
  undo.begin();
  EXPECT_FALSE(undo.is_caused_by_late_packet(999));  // nothing was sent again
}

TEST(UndoDetector, WantsADsackForEveryRetransmission) {
  UndoDetector undo;
  undo.begin();
  undo.on_retransmitted(5, 1000);
  undo.on_retransmitted(7, 1000);
  undo.on_retransmitted(7, 2000);
  EXPECT_FALSE(undo.on_dsack(6));  // the network's copy, not ours
  EXPECT_FALSE(undo.on_dsack(5));
  EXPECT_FALSE(undo.on_dsack(5));
  EXPECT_FALSE(undo.on_dsack(7));
  EXPECT_TRUE(undo.on_dsack(7));
}

// ---- delivery rate

TEST(RateSampler, DividesWhatWasDeliveredByTheLongerInterval) {
  // Ten packets at 10 ms each; ACKs come 100 ms later, 20 ms apart: the bottleneck halves the rate.
  RateSampler sampler;
  std::vector<SendSnapshot> sent;
  for (int i = 0; i < 10; ++i) sent.push_back(sampler.on_sent(10 * ms * i, i));
  RateSample sample;
  for (int i = 0; i < 10; ++i) {
    sampler.begin_ack((100 + 20 * i) * ms);
    sampler.on_delivered(sent[static_cast<std::size_t>(i)], 10 * ms * i, i + 1);
    sample = sampler.sample(100 * ms);
  }
  // All were sent before the first ACK: ten delivered since, in the 280 ms from the start.
  EXPECT_EQ(sample.delivered, 10);
  EXPECT_EQ(sample.interval_ns, 280 * ms);
  EXPECT_NEAR(sample.delivery_rate, 10 / 0.28, 1e-9);
  EXPECT_EQ(sample.prior_delivered, 0);
  EXPECT_EQ(sample.tx_in_flight, 10);
  EXPECT_EQ(sampler.delivered(), 10);
}

TEST(RateSampler, DoesNotTrustAnIntervalBelowTheLeastRoundTrip) {
  RateSampler sampler;
  const SendSnapshot sent = sampler.on_sent(0, 0);
  sampler.begin_ack(50 * ms);
  sampler.on_delivered(sent, 0, 1);
  const RateSample sample = sampler.sample(100 * ms);
  EXPECT_EQ(sample.delivery_rate, 0.0);
  EXPECT_EQ(sample.delivered, 1);
}

TEST(RateSampler, MarksTheRoundAfterAPause) {
  RateSampler sampler;
  const SendSnapshot first = sampler.on_sent(0, 0);
  sampler.mark_app_limited(1);
  const SendSnapshot second = sampler.on_sent(10 * ms, 1);
  EXPECT_FALSE(first.is_app_limited);
  EXPECT_TRUE(second.is_app_limited);
  sampler.begin_ack(100 * ms);
  sampler.on_delivered(first, 0, 1);
  sampler.sample(100 * ms);
  EXPECT_TRUE(sampler.is_app_limited());  // delivered 1 is not beyond 1
  sampler.begin_ack(110 * ms);
  sampler.on_delivered(second, 10 * ms, 2);
  EXPECT_TRUE(sampler.sample(100 * ms).is_app_limited);
  EXPECT_FALSE(sampler.is_app_limited());
}

TEST(RateSampler, CountsLossesSinceAPacketWasSent) {
  RateSampler sampler;
  sampler.on_lost();
  const SendSnapshot sent = sampler.on_sent(0, 0);
  sampler.on_lost();
  sampler.on_lost();
  sampler.begin_ack(100 * ms);
  sampler.on_delivered(sent, 0, 1);
  EXPECT_EQ(sampler.sample(100 * ms).lost, 2);
}

// ---- pacing and use of the window

TEST(Pacer, SpacesPacketsByTheRate) {
  Pacer pacer;
  EXPECT_TRUE(pacer.may_send(0, 100.0));
  pacer.on_sent(0, 100.0);
  EXPECT_FALSE(pacer.may_send(9 * ms, 100.0));
  EXPECT_EQ(pacer.next_ns(), 10 * ms);
  EXPECT_TRUE(pacer.may_send(10 * ms, 100.0));
}

TEST(Pacer, CountsPacketsThatLeaveEarly) {
  Pacer pacer;
  for (int i = 0; i < 3; ++i) pacer.on_sent(0, 100.0);  // such as retransmissions
  EXPECT_FALSE(pacer.may_send(29 * ms, 100.0));
  EXPECT_TRUE(pacer.may_send(29 * ms, 0.0));
  EXPECT_EQ(pacer.next_ns(), 30 * ms);
}

TEST(Pacer, DoesNotSaveUpWhileNothingIsSent) {
  Pacer pacer;
  EXPECT_TRUE(pacer.may_send(500 * ms, 100.0));
  pacer.on_sent(500 * ms, 100.0);
  EXPECT_EQ(pacer.next_ns(), 510 * ms);
}

TEST(WindowUsage, AsksWhetherTheWindowWasFull) {
  WindowUsage usage;
  usage.note(0, 10, true);
  EXPECT_TRUE(usage.is_limited());
  EXPECT_EQ(usage.most_outstanding(), 10);
  usage.note(5, 12, false);  // still the same round
  EXPECT_TRUE(usage.is_limited());
  EXPECT_EQ(usage.most_outstanding(), 10);
  usage.note(10, 13, false);
  EXPECT_FALSE(usage.is_limited());
  EXPECT_EQ(usage.most_outstanding(), 3);
  usage.note(11, 15, false);  // most of the round
  EXPECT_FALSE(usage.is_limited());
  EXPECT_EQ(usage.most_outstanding(), 4);
}

}  // namespace
}  // namespace clift::tcp
