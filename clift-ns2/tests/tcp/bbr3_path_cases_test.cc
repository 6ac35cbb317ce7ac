// Test cases of draft-ietf-ccwg-bbr-06, appendix, about ProbeRTT, paths that change, and spurious recoveries. A test has
// its case's name.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tcp/bbr3_flow.h"

namespace clift::tcp {
namespace {

using State = Bbr3::State;

class Bbr3Paths : public testing::TestWithParam<Network> {};
INSTANTIATE_TEST_SUITE_P(Networks, Bbr3Paths, testing::Values(continental, fast, geostationary));

TEST_P(Bbr3Paths, EnteringAndExitingProbeRtt) {
  Bbr3Flow flow(GetParam());
  ASSERT_TRUE(flow.run_into(State::probe_bw_cruise));
  // The least delay is the handshake's, or that of the last ProbeRTT.
  Nanoseconds stamp_ns = GetParam().rtt_ns;
  for (std::size_t i = 1; i < flow.visits.size(); ++i) {
    if (flow.visits[i - 1].state == State::probe_rtt) stamp_ns = flow.visits[i].begin_ns;
  }
  ASSERT_TRUE(flow.run_into(State::probe_rtt));
  EXPECT_NEAR(static_cast<double>(flow.path.now_ns - stamp_ns) * 1e-9, 5.0, 0.02);
  const double cwnd = 0.5 * flow.control().bandwidth() * static_cast<double>(flow.control().min_rtt_ns()) * 1e-9;
  EXPECT_NEAR(flow.control().cwnd(), cwnd, 1e-6);
  Nanoseconds reached_ns = 0;
  ASSERT_TRUE(flow.run_until([&] {
    if (reached_ns == 0 && flow.in_flight() <= cwnd) reached_ns = flow.path.now_ns;
    return flow.state() != State::probe_rtt;
  }));
  EXPECT_EQ(flow.state(), State::probe_bw_cruise);
  const Nanoseconds least_ns = std::max<Nanoseconds>(200 * ms, GetParam().rtt_ns);
  EXPECT_GE(flow.path.now_ns - reached_ns, least_ns);
  EXPECT_LE(flow.path.now_ns - reached_ns, least_ns + GetParam().rtt_ns);
  flow.run_for(GetParam().rtt_ns);
  EXPECT_GE(flow.measured_rate(3 * GetParam().rtt_ns), 0.98 * GetParam().rate);
}

TEST_P(Bbr3Paths, SkippingProbeRttDueToApplicationLimitedSending) {
  Bbr3Flow flow(GetParam());
  ASSERT_TRUE(flow.run_into(State::probe_bw_cruise));
  flow.run_for(GetParam().rtt_ns);
  flow.limit(0.0);
  flow.run_for(7'000 * ms);
  ASSERT_EQ(flow.in_flight(), 0.0);
  const std::size_t idle = flow.visits.size();
  flow.unlimit();
  flow.run_for(std::max<Nanoseconds>(1'000 * ms, 3 * GetParam().rtt_ns));
  for (std::size_t i = idle; i < flow.visits.size(); ++i) EXPECT_NE(flow.visits[i].state, State::probe_rtt);
  EXPECT_GE(flow.measured_rate(GetParam().rtt_ns), 0.98 * GetParam().rate);
}

// 64 kbit/s and 10 ms are a twentieth of a packet; 1 Mbit/s and 1 ms a twelfth. An ns-2 run has the delayed
// acknowledgements (tests/ns2/test_bbr3.py).
TEST(Bbr3Cases, CorrectlyManagingSubPacketBdps) {
  for (const Network& network : {Network{"64 kbit/s, 10 ms", 5.333, 10 * ms, 1000.0},
                                 Network{"1 Mbit/s, 1 ms", 83.33, ms, 1000.0}}) {
    SCOPED_TRACE(network);
    Bbr3Flow flow(network);
    ASSERT_TRUE(flow.run_into(State::probe_bw_cruise));
    EXPECT_NEAR(flow.control().pacing_rate(), 0.99 * network.rate, 0.02 * network.rate);
    const Nanoseconds end_ns = flow.path.now_ns + 20'000 * ms;
    double least = 1e9;
    flow.run_until([&] {
      least = std::min(least, flow.control().cwnd());
      return flow.path.now_ns >= end_ns;
    });
    EXPECT_GE(least, 4.0);
    EXPECT_GE(flow.measured_rate(20'000 * ms), 0.98 * network.rate);
  }
}

// From 10 to 100 Mbit/s. A long-term bound that losses have set grows by 1, 2, 4, 8, ... packets a round. In the first two
// of its log2(330) rounds that is not felt, and later the rate, a quarter more a round, takes over.
TEST(Bbr3Cases, IncreasingBandwidthTenfoldAndEnsuringFullBandwidthIsReached) {
  for (const double queue : {10.0, 1.0, 0.2}) {
    SCOPED_TRACE(queue);
    Bbr3Flow flow(with_queue(continental, queue));
    flow.run_for(12'000 * ms);
    ASSERT_TRUE(flow.run_into(State::probe_bw_cruise));
    flow.set_rate(10.0 * continental.rate);
    ASSERT_TRUE(flow.run_into(State::probe_bw_up));
    const std::int64_t begin = flow.rounds();
    const double bound = flow.control().inflight_longterm();
    std::int64_t round = begin;
    int raising = 0;  // rounds that have raised the long-term bound
    double raised = 0.0;
    ASSERT_TRUE(flow.run_until([&] {
      const double now = bound < Bbr3::unbounded ? flow.control().inflight_longterm() - bound : 0.0;
      if (flow.rounds() > round) {
        raising += now > raised;
        raised = now;
        EXPECT_GE(now, (1 << std::min(raising, 5)) - 1);
      }
      round = flow.rounds();
      return flow.control().max_bandwidth() >= 9.8 * continental.rate;
    }));
    EXPECT_EQ(raising >= 5, bound < Bbr3::unbounded);
    EXPECT_LE(flow.rounds() - begin, 20);
  }
}

// It fails where losses have set the long-term bound and the round trip is 0.6 s: UP ends with ProbeRTT after three
// rounds, and each time the bound starts to grow by one packet again. After 100 s a sixth of the bandwidth is in use.
TEST(Bbr3Cases, IncreasingBandwidthTenfoldFailsOnAGeostationaryPath) {
  Bbr3Flow flow(with_queue(geostationary, 0.2));
  flow.run_for(12'000 * ms);
  flow.set_rate(10.0 * geostationary.rate);
  flow.run_for(100'000 * ms);
  EXPECT_LT(flow.control().max_bandwidth(), 2.0 * geostationary.rate);
}

// From 100 to 10 Mbit/s, over 40 ms. Two cycles of ProbeBW are the filter's length.
TEST(Bbr3Cases, DecreasingBandwidthTenfoldAndEnsuringMaxBandwidthAdaptsDown) {
  const Network before{"100 Mbit/s, 40 ms", 8333.0, 40 * ms, 0.2};
  Bbr3Flow flow(before);
  ASSERT_TRUE(flow.run_into(State::probe_rtt));
  ASSERT_TRUE(flow.run_into(State::probe_bw_cruise));
  flow.set_rate(0.1 * before.rate);
  const std::int64_t begin = flow.rounds();
  ASSERT_TRUE(flow.run_until([&] { return flow.control().shortterm_bandwidth() < 0.5 * before.rate; }));
  EXPECT_LE(flow.rounds() - begin, 4);  // three steps of 0.7 at the latest
  const std::size_t visits = flow.visits.size();
  ASSERT_TRUE(flow.run_until([&] { return flow.control().max_bandwidth() < 0.102 * before.rate; }));
  const auto cycles = std::count_if(flow.visits.begin() + static_cast<std::ptrdiff_t>(visits), flow.visits.end(),
                                    [](const auto& visit) { return visit.state == State::probe_bw_refill; });
  EXPECT_LE(cycles, 3);
  EXPECT_NEAR(flow.control().max_bandwidth(), 0.1 * before.rate, 0.002 * before.rate);
}

// It fails where a round takes so long that ProbeRTT ends every cycle: max_bw's filter advances only after a cycle that
// ends with DOWN. So it is with a deep queue, whose delay is ten times as long after the decrease.
TEST(Bbr3Cases, DecreasingBandwidthTenfoldFailsWithADeepQueue) {
  Bbr3Flow flow(with_queue(fast, 1.0));
  ASSERT_TRUE(flow.run_into(State::probe_rtt));
  ASSERT_TRUE(flow.run_into(State::probe_bw_cruise));
  flow.set_rate(0.1 * fast.rate);
  flow.run_for(60'000 * ms);
  EXPECT_GT(flow.control().max_bandwidth(), 0.9 * fast.rate);
}

// 10 Mbit/s of tokens over a link of 100 Mbit/s without a queue. The draft names no threshold for the losses; they
// are 1 % with a bucket of 20 packets, 4 and 6 % with one of 100 and 1000, which probes find full.
TEST(Bbr3Cases, HandlingTokenBucketPolicers) {
  const double rate = 833.3;
  for (const double burst : {20.0, 100.0, 1000.0}) {
    SCOPED_TRACE(burst);
    Bbr3Flow flow(Network{"policed", 10.0 * rate, 40 * ms});
    double tokens = burst;
    Nanoseconds last_ns = 0;
    std::int64_t lost = 0, all = 0;
    flow.path.fate = [&](std::int64_t, int) {
      tokens = std::min(burst, tokens + rate * static_cast<double>(flow.path.now_ns - last_ns) * 1e-9);
      last_ns = flow.path.now_ns;
      const bool passes = tokens >= 1.0;
      if (passes) tokens -= 1.0;
      ++all;
      lost += !passes;
      return passes ? Delays{0} : Delays{};
    };
    double bandwidth = Bbr3::unbounded, flight = Bbr3::unbounded;
    flow.run_until([&] {
      bandwidth = std::min(bandwidth, flow.control().shortterm_bandwidth());
      flight = std::min(flight, flow.control().inflight_shortterm());
      return false;
    }, 20'000 * ms);
    EXPECT_NEAR(bandwidth, rate, 0.02 * rate);
    EXPECT_NEAR(flight, 0.04 * rate, 0.1 * 0.04 * rate);
    lost = all = 0;
    EXPECT_NEAR(flow.measured_rate(20'000 * ms), rate, 0.06 * rate);
    EXPECT_LT(static_cast<double>(lost), 0.08 * static_cast<double>(all));
  }
}

// In UP, 6 % of a flight arrive half a round trip after the packets behind them.
TEST(Bbr3Cases, HandlingSpuriousFastRecovery) {
  for (const Network& network : {continental, fast}) {
    SCOPED_TRACE(network);
    Bbr3Flow flow(network);
    ASSERT_TRUE(flow.run_into(State::probe_bw_up));
    const double cwnd = flow.control().cwnd();
    flow.path.fate = [&, left = 3 + static_cast<int>(0.06 * flow.bdp())](std::int64_t, int) mutable {
      return Delays{left-- > 0 ? 3 * network.rtt_ns / 2 : 0};
    };
    ASSERT_TRUE(flow.run_until([&] { return flow.path.sender.state() == RecoveryState::recovery; }, 5'000 * ms));
    EXPECT_EQ(flow.state(), State::probe_bw_down);
    EXPECT_LT(flow.control().inflight_longterm(), 1.25 * flow.bdp());
    ASSERT_TRUE(flow.run_until([&] { return flow.path.sender.counters().undone > 0; }, 5'000 * ms));
    EXPECT_EQ(flow.control().inflight_longterm(), Bbr3::unbounded);
    EXPECT_EQ(flow.control().shortterm_bandwidth(), Bbr3::unbounded);
    EXPECT_EQ(flow.control().inflight_shortterm(), Bbr3::unbounded);
    EXPECT_GE(flow.control().cwnd(), cwnd - 1.0);  // the model's bound has moved by a packet
    EXPECT_EQ(flow.state(), State::probe_bw_refill);
    ASSERT_TRUE(flow.run_into(State::probe_bw_up));
    EXPECT_LE(flow.path.now_ns - flow.visits[flow.visits.size() - 2].begin_ns, 3 * network.rtt_ns / 2);
  }
}

// In UP, nothing arrives for so long that the timer expires; then everything does, in order.
TEST(Bbr3Cases, HandlingSpuriousRtoRecovery) {
  Bbr3Flow flow(continental);
  ASSERT_TRUE(flow.run_into(State::probe_bw_up));
  const double cwnd = flow.control().cwnd();
  const Nanoseconds begin_ns = flow.path.now_ns;
  Nanoseconds free_ns = begin_ns + 450 * ms;
  flow.path.fate = [&](std::int64_t, int) {
    const Nanoseconds wait_ns = std::max<Nanoseconds>(0, free_ns - flow.path.now_ns);
    if (wait_ns > 0) free_ns += 1'200'000;
    return Delays{wait_ns};
  };
  ASSERT_TRUE(flow.run_until([&] { return flow.path.sender.counters().timeouts > 0; }, 5'000 * ms));
  EXPECT_DOUBLE_EQ(flow.control().cwnd(), 1.0);
  ASSERT_TRUE(flow.run_until([&] { return flow.path.sender.counters().undone > 0; }, 5'000 * ms));
  EXPECT_EQ(flow.control().inflight_longterm(), Bbr3::unbounded);
  EXPECT_EQ(flow.control().shortterm_bandwidth(), Bbr3::unbounded);
  EXPECT_EQ(flow.control().inflight_shortterm(), Bbr3::unbounded);
  EXPECT_GE(flow.control().cwnd(), cwnd);
  EXPECT_EQ(flow.state(), State::probe_bw_up);  // by REFILL, which the same acknowledgement ends
}

}  // namespace
}  // namespace clift::tcp
