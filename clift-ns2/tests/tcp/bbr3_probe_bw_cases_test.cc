// Test cases of draft-ietf-ccwg-bbr-06, appendix, about the phases of ProbeBW. A test has its case's name.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tcp/bbr3_flow.h"

namespace clift::tcp {
namespace {

using State = Bbr3::State;

class Bbr3ProbeBw : public testing::TestWithParam<Network> {};
INSTANTIATE_TEST_SUITE_P(Networks, Bbr3ProbeBw, testing::Values(continental, fast));

TEST_P(Bbr3ProbeBw, ExitingProbeUpOnBandwidthPlateau) {
  Bbr3Flow flow(GetParam());
  ASSERT_TRUE(flow.run_into(State::probe_bw_up));
  EXPECT_NEAR(flow.pacing_gain(), 1.25, 1e-9);
  const std::int64_t begin = flow.rounds();
  ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::probe_bw_up; }));
  EXPECT_EQ(flow.state(), State::probe_bw_down);
  EXPECT_EQ(flow.rounds() - begin, 3);
  EXPECT_EQ(flow.path.sender.counters().retransmissions, 0);
}

// It fails on a geostationary path if the random wait is long: 2.5 s of waiting, a round of REFILL and three rounds of UP
// take more than the five seconds between two ProbeRTTs. The draft names no remedy.
TEST(Bbr3Cases, ExitingProbeUpOnBandwidthPlateauFailsOnAGeostationaryPath) {
  Bbr3Flow flow(geostationary);
  flow.run_for(60'000 * ms);
  int probes = 0;
  for (std::size_t i = 0; i + 1 < flow.visits.size(); ++i) {
    if (flow.visits[i].state != State::probe_bw_up) continue;
    ++probes;
    EXPECT_EQ(flow.visits[i + 1].state, State::probe_rtt);
  }
  EXPECT_GE(probes, 5);
}

// The application falls to 0.7 of the rate, and 1 packet in 20 is lost. By the pseudocode of 5.5.10 the long-term bound
// takes no value from an application-limited packet. The first lost ones were not limited yet on the short path.
TEST_P(Bbr3ProbeBw, ExitingProbeUpOnLossWhenApplicationLimited) {
  Bbr3Flow flow(GetParam());
  ASSERT_TRUE(flow.run_into(State::probe_bw_up));
  const std::int64_t begin = flow.rounds();
  flow.limit(0.7 * GetParam().rate);
  flow.run_for(2 * GetParam().rtt_ns);
  ASSERT_EQ(flow.state(), State::probe_bw_up);
  flow.lose_every(20);
  ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::probe_bw_up; }, 5 * GetParam().rtt_ns));
  EXPECT_LE(flow.rounds() - begin, 5);
  EXPECT_TRUE(flow.state() == State::probe_bw_down || flow.state() == State::probe_bw_cruise);
  EXPECT_EQ(flow.control().inflight_longterm(), Bbr3::unbounded);
}

// UP lasts until ProbeRTT, three to five seconds: 75 rounds on the short path, where a plateau would end it after three.
TEST_P(Bbr3ProbeBw, NeverExitingProbeUpWhenApplicationLimitedWithNoLoss) {
  Bbr3Flow flow(GetParam());
  ASSERT_TRUE(flow.run_into(State::probe_rtt));
  ASSERT_TRUE(flow.run_into(State::probe_bw_up));
  flow.limit(0.7 * GetParam().rate);
  ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::probe_bw_up; }));
  EXPECT_EQ(flow.state(), State::probe_rtt);
  EXPECT_GT(flow.path.now_ns - flow.visits[flow.visits.size() - 2].begin_ns, 20 * GetParam().rtt_ns);
}

// With a queue of a fifth of the product, losses set the long-term bound, and the headroom below it counts.
TEST(Bbr3Cases, ExitingProbeDownOnInflight) {
  for (const Network& network : {continental, with_queue(continental, 0.2), with_queue(fast, 0.2)}) {
    SCOPED_TRACE(network);
    Bbr3Flow flow(network);
    ASSERT_TRUE(flow.run_into(State::probe_bw_up));
    ASSERT_TRUE(flow.run_into(State::probe_bw_down));
    EXPECT_NEAR(flow.pacing_gain(), 0.9, 1e-9);
    double before = 0.0;
    const auto target = [&] {
      const double bound = flow.control().inflight_longterm();
      if (bound == Bbr3::unbounded) return flow.inflight_target();
      return std::min(flow.inflight_target(), std::max(4.0, bound - std::max(1.0, 0.15 * bound)));
    };
    ASSERT_TRUE(flow.run_until([&] {
      if (flow.state() == State::probe_bw_down) before = flow.in_flight();
      return flow.state() != State::probe_bw_down;
    }));
    EXPECT_EQ(flow.state(), State::probe_bw_cruise);
    EXPECT_GT(before, target());
    EXPECT_LE(flow.in_flight(), target());
  }
}

// The random wait is 2 s here, its least: with more, ProbeRTT comes first.
TEST_P(Bbr3ProbeBw, ExitingProbeDownAfterMaxTime) {
  Bbr3Flow flow(GetParam(), 0.0);
  ASSERT_TRUE(flow.run_into(State::probe_rtt));
  ASSERT_TRUE(flow.run_into(State::probe_bw_up));
  ASSERT_TRUE(flow.run_into(State::probe_bw_down));
  const Nanoseconds begin_ns = flow.path.now_ns;
  flow.set_rate(0.9 * GetParam().rate);
  ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::probe_bw_down; }));
  EXPECT_EQ(flow.state(), State::probe_bw_refill);
  EXPECT_NEAR(static_cast<double>(flow.path.now_ns - begin_ns) * 1e-9, 2.0, 0.01);
}

TEST_P(Bbr3ProbeBw, AchievingExpectedCruiseBandwidthOnALinkWithAggregation) {
  for (const int arrivals : {4, 2, 1}) {
    SCOPED_TRACE(arrivals);
    Bbr3Flow flow(GetParam());
    ASSERT_TRUE(flow.run_into(State::probe_bw_cruise));
    const double before = flow.control().cwnd();
    flow.aggregate_acks(GetParam().rtt_ns / arrivals);
    flow.run_for(5 * GetParam().rtt_ns);
    // An arrival brings the packets of a whole interval at once.
    const double burst = GetParam().rate * static_cast<double>(GetParam().rtt_ns) * 1e-9 / arrivals;
    EXPECT_NEAR(flow.control().extra_acked(), burst, 0.02 * burst + 2.0);
    EXPECT_NEAR(flow.control().cwnd() - before, flow.control().extra_acked() - 1.0, 2.0);
    EXPECT_GE(flow.measured_rate(10 * GetParam().rtt_ns), 0.98 * GetParam().rate);
    ASSERT_EQ(flow.state(), State::probe_bw_cruise);
    flow.path.ack_fate = [] { return Delays{0}; };
    // The excess of an interval that goes on falls by the pacing margin, 1 % of a product a round. It is forgotten
    // BBR.ExtraAckedFilterLen = 10 rounds later.
    const std::int64_t end = flow.rounds() + 100 / arrivals + 12;
    ASSERT_TRUE(flow.run_until([&] { return flow.rounds() >= end; }));
    EXPECT_LT(flow.control().extra_acked(), 0.3 * burst + 3.0);
  }
}

TEST_P(Bbr3ProbeBw, HandlingLossDuringProbeUpAfterInflightLongtermIsSet) {
  Bbr3Flow flow(with_queue(GetParam(), 0.5));
  ASSERT_TRUE(flow.run_until([&] { return flow.control().inflight_longterm() < Bbr3::unbounded; }));
  ASSERT_TRUE(flow.run_into(State::probe_bw_cruise));
  ASSERT_TRUE(flow.run_into(State::probe_bw_up));
  const std::int64_t begin = flow.rounds();
  flow.lose_every(10);
  double bound = 0.0, target = 0.0;
  ASSERT_TRUE(flow.run_until([&] {
    if (flow.state() == State::probe_bw_up) {
      bound = flow.control().inflight_longterm();
      target = std::min(flow.control().bandwidth() * static_cast<double>(flow.control().min_rtt_ns()) * 1e-9,
                        flow.control().cwnd());
    }
    return flow.state() != State::probe_bw_up;
  }));
  EXPECT_EQ(flow.state(), State::probe_bw_down);
  EXPECT_LE(flow.rounds() - begin, 2);  // a plateau would need three
  EXPECT_LT(flow.control().inflight_longterm(), bound);
  EXPECT_GE(flow.control().inflight_longterm(), 0.7 * target);
}

// The application sends nothing in the round, or a fifth of the rate.
TEST_P(Bbr3ProbeBw, HandlingApplicationLimitedSendingDuringProbeRefill) {
  for (const double share : {0.0, 0.2}) {
    SCOPED_TRACE(share);
    Bbr3Flow flow(GetParam());
    ASSERT_TRUE(flow.run_into(State::probe_bw_refill));
    const double bandwidth = flow.control().max_bandwidth();
    flow.limit(share * GetParam().rate);
    flow.run_for(GetParam().rtt_ns);
    EXPECT_DOUBLE_EQ(flow.control().max_bandwidth(), bandwidth);
    flow.unlimit();
    ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::probe_bw_refill; }));
    EXPECT_EQ(flow.state(), State::probe_bw_up);
    ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::probe_bw_up; }));
    EXPECT_EQ(flow.state(), State::probe_bw_down);
    EXPECT_NEAR(flow.control().max_bandwidth(), GetParam().rate, 0.02 * GetParam().rate);
  }
}

}  // namespace
}  // namespace clift::tcp
