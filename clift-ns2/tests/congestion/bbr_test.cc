#include "core/tcp/congestion/bbr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/congestion/goodput.h"
#include "tests/congestion/ideal_sender.h"
#include "tests/congestion/rate_script.h"
#include "tests/congestion/script.h"

namespace clift::tcp {
namespace {

const double high_gain = 2.0 / std::log(2.0);

struct ScriptedBbr : testing::Test {
  Bbr control{ControlParameters{}};
  RateScript script{control};
};

// Startup's rates double until 400 packets a second, then stay: the pipe is full after three rounds of it.
void fill_pipe(RateScript& script) {
  script.in_flight = 1000;  // so that Drain does not end
  for (const double rate : {100.0, 200.0, 400.0, 400.0, 400.0, 400.0}) script.round(rate);
}

void reach_probe_bw(RateScript& script) {
  fill_pipe(script);
  script.in_flight = 40;
  script.round(400.0);
}

TEST_F(ScriptedBbr, LeavesStartupAfterThreeRoundsWithoutAQuarterOfGrowth) {
  script.in_flight = 1000;
  for (const double rate : {100.0, 200.0, 250.0, 312.0, 312.0}) script.round(rate);  // 250 is a quarter more, 312 not
  EXPECT_EQ(control.state(), Bbr::State::startup);
  EXPECT_DOUBLE_EQ(control.pacing_gain(), high_gain);
  script.round(312.0);
  EXPECT_EQ(control.state(), Bbr::State::drain);
  EXPECT_DOUBLE_EQ(control.pacing_gain(), 1.0 / high_gain);
}

TEST_F(ScriptedBbr, DoesNotJudgeThePipeByWhatTheApplicationLimits) {
  script.round(100.0);
  script.is_app_limited = true;
  for (int i = 0; i < 10; ++i) script.round(50.0);
  EXPECT_EQ(control.state(), Bbr::State::startup);
  EXPECT_DOUBLE_EQ(control.max_bandwidth(), 100.0);
  script.round(120.0);  // but a larger rate counts whatever limited it
  EXPECT_DOUBLE_EQ(control.max_bandwidth(), 120.0);
}

TEST_F(ScriptedBbr, DrainsUntilOneBandwidthDelayProductIsInFlight) {
  fill_pipe(script);
  // 400 a second for 100 ms is 40; three quanta of two packets come on top at 4.8 Mbit/s.
  script.in_flight = 47;
  script.round(400.0);
  EXPECT_EQ(control.state(), Bbr::State::drain);
  script.in_flight = 46;
  script.round(400.0);
  EXPECT_EQ(control.state(), Bbr::State::probe_bw);
}

TEST_F(ScriptedBbr, KeepsTheLargestRateOfTenRounds) {
  script.round(1000.0);
  for (int i = 0; i < 9; ++i) script.round(500.0 - i);
  EXPECT_DOUBLE_EQ(control.max_bandwidth(), 1000.0);
  script.round(100.0);
  EXPECT_DOUBLE_EQ(control.max_bandwidth(), 500.0);
}

TEST_F(ScriptedBbr, KeepsTheLeastRttOfTenSeconds) {
  script.round(100.0);
  EXPECT_EQ(control.rtprop_ns(), 100 * millisecond);
  script.rtt_ns = 150 * millisecond;
  while (script.now_ns + script.rtt_ns <= 10'100 * millisecond) {
    script.round(100.0);
    EXPECT_EQ(control.rtprop_ns(), 100 * millisecond);
  }
  script.round(100.0);
  EXPECT_EQ(control.rtprop_ns(), 150 * millisecond);
}

TEST(Bbr, BeginsProbeBwWithAnyPhaseButThatOfThreeQuarters) {
  int probing = 0;
  for (int i = 0; i < 70; ++i) {
    ControlParameters parameters;
    parameters.uniform = [=] { return i / 70.0; };
    Bbr control(parameters);
    RateScript script(control);
    reach_probe_bw(script);
    ASSERT_EQ(control.state(), Bbr::State::probe_bw);
    EXPECT_NE(control.pacing_gain(), 0.75);
    probing += control.pacing_gain() == 1.25;
  }
  EXPECT_EQ(probing, 10);  // one of seven
}

TEST(Bbr, CyclesThroughItsGains) {
  Bbr control(ControlParameters{});
  IdealSender sender(control, Path{});  // 1000 a second, 100 ms
  struct Phase {
    double gain;
    Nanoseconds begin_ns;
  };
  std::vector<Phase> phases;
  sender.after_ack = [&](const AckSample& ack) {
    if (control.state() == Bbr::State::probe_bw && (phases.empty() || phases.back().gain != control.pacing_gain()))
      phases.push_back({control.pacing_gain(), ack.now_ns});
  };
  sender.run_until(10'000 * millisecond);
  ASSERT_GT(phases.size(), 24U);
  for (std::size_t i = 0; i + 1 < phases.size(); ++i) {
    const double rtts = static_cast<double>(phases[i + 1].begin_ns - phases[i].begin_ns) / 100e6;
    const double gains[] = {1.25, 0.75, 1.0};
    EXPECT_DOUBLE_EQ(phases[i].gain, gains[i % 3]);
    if (phases[i].gain == 1.25) {
      EXPECT_GE(rtts, 1.0);
      EXPECT_LE(rtts, 1.5);
    } else if (phases[i].gain == 0.75) {
      EXPECT_LE(rtts, 1.1);
    } else {
      EXPECT_NEAR(rtts, 6.0, 0.15);  // six phases
    }
  }
}

TEST(Bbr, FillsThePathWithoutAQueue) {
  Bbr control(ControlParameters{});
  IdealSender sender(control, Path{});
  double in_flight = 0.0, acks = 0.0;
  sender.after_ack = [&](const AckSample& ack) {
    if (ack.now_ns < 3'000 * millisecond) return;
    in_flight += static_cast<double>(ack.in_flight);
    ++acks;
  };
  sender.run_until(10'000 * millisecond);
  EXPECT_LT(in_flight / acks, 1.1 * 100);
  EXPECT_GT(acks / 7.0, 990.0);
}

TEST(Bbr, ProbesTheRttWithFourPackets) {
  Bbr control(ControlParameters{});
  IdealSender sender(control, Path{});
  Nanoseconds begin_ns = 0, end_ns = 0, small_since_ns = never, small_ns = 0;
  double before = 0.0, after = 0.0;
  sender.after_ack = [&](const AckSample& ack) {
    if (control.state() == Bbr::State::probe_rtt) {
      if (begin_ns == 0) begin_ns = ack.now_ns;
      EXPECT_LE(control.cwnd(), 4.0);
      if (ack.in_flight <= 4 && small_since_ns == never) small_since_ns = ack.now_ns;
    } else if (begin_ns == 0) {
      before = control.cwnd();
    } else if (end_ns == 0) {
      end_ns = ack.now_ns;
      small_ns = end_ns - small_since_ns;
      after = control.cwnd();
    }
  };
  sender.run_until(12'000 * millisecond);
  // The least RTT was last seen in the first half second: ten seconds later it is out of date.
  EXPECT_GT(begin_ns, 10'000 * millisecond);
  EXPECT_LT(begin_ns, 10'700 * millisecond);
  EXPECT_GT(small_ns, 200 * millisecond);
  EXPECT_LT(end_ns - begin_ns, 500 * millisecond);
  EXPECT_NEAR(after, before, 1.0);  // and the packet that the last ACK delivers
}

TEST(Bbr, DoesNotTakeTheRatesOfProbeRttForThePaths) {
  Bbr control(ControlParameters{});
  IdealSender sender(control, Path{});
  sender.after_ack = [&](const AckSample& ack) {
    if (ack.now_ns > 3'000 * millisecond) {
      EXPECT_NEAR(control.max_bandwidth(), 1000.0, 30.0);
    }
  };
  sender.run_until(25'000 * millisecond);
}

TEST_F(ScriptedBbr, ConservesPacketsInTheFirstRoundOfRecovery) {
  reach_probe_bw(script);
  for (int i = 0; i < 10; ++i) script.round(400.0);
  const double before = control.cwnd();
  // 2 * 40, the ten that each ACK delivers at once, three quanta of two, and two more in the phase of 5/4.
  ASSERT_DOUBLE_EQ(before, 98.0);
  CongestionEvent event;
  event.delivered = script.delivered;
  event.in_flight = 40;
  for (int i = 0; i < 3; ++i) control.on_lost({});
  control.on_enter_recovery(event);
  EXPECT_DOUBLE_EQ(control.cwnd(), 38.0);  // 37 are left, and one to send again
  script.state = RecoveryState::recovery;
  script.packets = 1;
  script.in_flight = 36;
  script.ack(400.0, event.delivered - 20);
  EXPECT_DOUBLE_EQ(control.cwnd(), 38.0);
  script.in_flight = 45;
  script.ack(400.0, event.delivered - 19);
  EXPECT_DOUBLE_EQ(control.cwnd(), 46.0);  // the flight and the delivered packets
  // A round later the window grows towards its target again.
  script.ack(400.0, event.delivered);
  script.ack(400.0, event.delivered + 1);
  EXPECT_DOUBLE_EQ(control.cwnd(), 48.0);
  control.on_exit_recovery(script.now_ns, RecoveryState::recovery);
  EXPECT_DOUBLE_EQ(control.cwnd(), before);
}

TEST_F(ScriptedBbr, StartsAtOnePacketAfterATimeoutAndRestoresItsWindow) {
  reach_probe_bw(script);
  for (int i = 0; i < 10; ++i) script.round(400.0);
  const double before = control.cwnd();
  control.on_timeout({});
  EXPECT_DOUBLE_EQ(control.cwnd(), 1.0);
  control.on_exit_recovery(script.now_ns, RecoveryState::loss);
  EXPECT_DOUBLE_EQ(control.cwnd(), before);
}

TEST_F(ScriptedBbr, RestartsFromIdleAtTheBandwidth) {
  reach_probe_bw(script);
  ASSERT_DOUBLE_EQ(control.pacing_gain(), 1.25);
  EXPECT_DOUBLE_EQ(control.pacing_rate(), 0.99 * 500.0);
  control.on_transmit({script.now_ns, 0, true});
  EXPECT_DOUBLE_EQ(control.pacing_rate(), 0.99 * 400.0);
  // Idleness has emptied the queue: no need to probe the RTT.
  script.now_ns += 20'000 * millisecond;
  script.round(400.0);
  EXPECT_EQ(control.state(), Bbr::State::probe_bw);
}

// Cardwell et al. 2017: losses do not matter until they exceed the gain of probing with 5/4, 20 %.
TEST(Bbr, BearsLossesUpToTheGainOfItsProbes) {
  const auto share = [](double loss) { return share_of_path<Bbr>(Path{}, loss, 30, 6); };
  EXPECT_GT(share(0.0), 0.95);
  EXPECT_GT(share(0.01), 0.95);
  EXPECT_GT(share(0.05), 0.90);
  EXPECT_GT(share(0.10), 0.80);
  EXPECT_LT(share(0.25), 0.25);
}

TEST(Bbr, WorksWithAnyBandwidthDelayProduct) {
  for (const double rate : {2.0, 20.0, 200'000.0}) {  // of .2 to 20,000 packets
    Path path;
    path.rate = rate;
    EXPECT_GT(share_of_path<Bbr>(path, 0.0, 4, 1), 0.60) << rate;
  }
}

}  // namespace
}  // namespace clift::tcp
