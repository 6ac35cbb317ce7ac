// Test cases of draft-ietf-ccwg-bbr-06, appendix, about Startup, Drain and ProbeRTT. A test has its case's name.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tcp/bbr3_flow.h"

namespace clift::tcp {
namespace {

using State = Bbr3::State;

class Bbr3Startup : public testing::TestWithParam<Network> {};
INSTANTIATE_TEST_SUITE_P(Networks, Bbr3Startup, testing::Values(lan, continental, fast, geostationary));

// On the geostationary path the draft's ProbeRTT comes twice in Startup, which takes more than five seconds there.
TEST_P(Bbr3Startup, ExitingStartupOnBandwidthPlateau) {
  Bbr3Flow flow(GetParam());
  std::int64_t full_round = -1;  // the first in which the path cannot give a quarter more than the estimate
  ASSERT_TRUE(flow.run_until([&] {
    if (full_round < 0 && flow.control().max_bandwidth() * 1.25 > GetParam().rate) full_round = flow.rounds();
    return flow.state() == State::drain;
  }));
  EXPECT_EQ(flow.visits[flow.visits.size() - 2].state, State::startup);
  EXPECT_NEAR(flow.control().max_bandwidth(), GetParam().rate, 0.02 * GetParam().rate);
  if (flow.visits.size() == 2) {
    EXPECT_EQ(flow.rounds() - full_round, 3);
  }
}

TEST_P(Bbr3Startup, ExitingDrainBasedOnInflight) {
  Bbr3Flow flow(GetParam());
  ASSERT_TRUE(flow.run_into(State::drain));
  EXPECT_NEAR(flow.pacing_gain(), 0.5, 1e-9);
  double excess = 0.0;  // after the last acknowledgement in Drain
  ASSERT_TRUE(flow.run_until([&] {
    if (flow.state() == State::drain) excess = flow.in_flight() - flow.inflight_target();
    return flow.state() != State::drain;
  }));
  EXPECT_GT(excess, 0.0);
  EXPECT_LE(flow.in_flight(), flow.inflight_target());
  EXPECT_EQ(flow.state(), State::probe_bw_cruise);  // the same acknowledgement ends DOWN
}

// The draft decreases the bandwidth by 10 %. That does not hold the flight above its target for three rounds: it enters
// Drain with twice the product and pacing at half the rate empties it in two. A decrease by half does.
TEST(Bbr3Cases, ExitingDrainBasedOnTime) {
  for (const Network& network : {continental, fast}) {
    SCOPED_TRACE(network);
    Bbr3Flow flow(network);
    ASSERT_TRUE(flow.run_into(State::drain));
    flow.set_rate(0.5 * network.rate);
    const std::int64_t begin = flow.rounds();
    ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::drain; }));
    EXPECT_EQ(flow.rounds() - begin, 4);  // the first that is more than three later
    EXPECT_EQ(flow.state(), State::probe_bw_down);
    EXPECT_GT(flow.in_flight(), flow.inflight_target());
  }
}

// The application offers half of the path's rate. 1 loss in 100 is borne, 1 in 20 is not.
TEST(Bbr3Cases, ExitingStartupOnLossWhenApplicationLimited) {
  Bbr3Flow flow(fast);
  flow.limit(0.5 * fast.rate);
  flow.lose_every(100);
  flow.run_for(4'000 * ms);
  ASSERT_EQ(flow.visits.size(), 1U);
  const std::int64_t begin = flow.rounds();
  flow.lose_every(20);
  ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::startup; }, 1'000 * ms));
  EXPECT_LE(flow.rounds() - begin, 4);
  // An application-limited flight is below the target already, so that the same acknowledgement ends Drain, too.
  EXPECT_EQ(flow.state(), State::probe_bw_cruise);
  // max(BBR.bdp, inflight_latest), raised to the flight of the packets that came through.
  EXPECT_GE(flow.control().inflight_longterm(), 0.98 * flow.control().bandwidth() * 0.1);
  EXPECT_LE(flow.control().inflight_longterm(), 1.05 * flow.bdp());
}

// ProbeRTT interrupts the phase every five seconds, as the draft has it, and leads back to Startup.
TEST_P(Bbr3Startup, NeverExitingStartupWhenApplicationLimitedWithNoLoss) {
  Bbr3Flow flow(GetParam());
  flow.limit(0.1 * GetParam().rate);
  flow.run_for(12'000 * ms);
  for (const Bbr3Flow::Visit& visit : flow.visits) {
    EXPECT_TRUE(visit.state == State::startup || visit.state == State::probe_rtt);
  }
}

TEST_P(Bbr3Startup, EnteringAndExitingProbeRttDuringStartup) {
  Bbr3Flow flow(GetParam());
  flow.limit(0.1 * GetParam().rate);
  ASSERT_TRUE(flow.run_into(State::probe_rtt));
  EXPECT_LT(flow.control().max_bandwidth(), 0.5 * GetParam().rate);
  flow.unlimit();
  ASSERT_TRUE(flow.run_until([&] { return flow.state() != State::probe_rtt; }));
  EXPECT_EQ(flow.state(), State::startup);
  ASSERT_TRUE(flow.run_into(State::drain));
  EXPECT_NEAR(flow.control().max_bandwidth(), GetParam().rate, 0.02 * GetParam().rate);
}

// Acknowledgements arrive four times a round trip, or once.
TEST(Bbr3Cases, AchievingExpectedStartupBandwidthOnALinkWithAggregation) {
  for (const Network& network : {continental, fast}) {
    for (const int arrivals : {4, 1}) {
      SCOPED_TRACE(network.name + ", " + std::to_string(arrivals));
      Bbr3Flow flow(network);
      flow.aggregate_acks(network.rtt_ns / arrivals);
      double cwnd = 0.0, extra = 0.0, doubled_at = 20.0;
      std::int64_t doubling_rounds = 0, last = 0;
      ASSERT_TRUE(flow.run_until([&] {
        cwnd = std::max(cwnd, flow.control().cwnd());
        extra = std::max(extra, flow.control().extra_acked());
        if (flow.control().max_bandwidth() >= doubled_at && doubled_at < 0.5 * network.rate) {
          doubling_rounds = std::max(doubling_rounds, flow.rounds() - last);
          doubled_at *= 2.0;
          last = flow.rounds();
        }
        return flow.state() == State::drain;
      }));
      EXPECT_GE(flow.control().max_bandwidth(), 0.98 * network.rate);
      EXPECT_GT(cwnd, 2.0 * flow.bdp());
      EXPECT_GT(extra, 0.0);
      EXPECT_LE(doubling_rounds, 3);
    }
  }
}

}  // namespace
}  // namespace clift::tcp
