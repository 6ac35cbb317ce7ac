// Careful Resume with BBR, from RFC 9959, appendix C, by hand; then both versions of BBR on a path.
#include "core/tcp/congestion/bbr_resume.h"

#include <gtest/gtest.h>

#include "core/tcp/congestion/bbr.h"
#include "core/tcp/congestion/bbr3.h"
#include "tests/congestion/ideal_sender.h"

namespace clift::tcp {
namespace {

constexpr Nanoseconds rtt_ns = 100'000'000;

ControlParameters with_saved(double window) {
  ControlParameters parameters;
  parameters.saved = SavedPath{window, rtt_ns, never};
  return parameters;
}

// Acknowledges the ten initial packets and five of the next.
AckSample after_the_initial_packets() {
  AckSample ack;
  ack.newly_acked = 15;
  ack.snd_una = ack.delivered = 15;
  ack.min_rtt_ns = rtt_ns;
  ack.is_cwnd_limited = true;
  return ack;
}

TEST(BbrResume, ProbesAtHalfOfTheSavedRateForTwoRounds) {
  BbrResume resume(with_saved(100.0));
  RoundCounter rounds;
  rounds.advance(0, 1);
  EXPECT_DOUBLE_EQ(resume.raised(200.0), 200.0);
  const AckSample ack = after_the_initial_packets();
  resume.on_ack(ack, 20.0, rounds);
  EXPECT_DOUBLE_EQ(resume.raised(200.0), 500.0);  // 50 packets in 100 ms
  EXPECT_DOUBLE_EQ(resume.raised(800.0), 800.0);
  rounds.advance(14, 16);  // a packet that was sent before the probe: its round goes on
  resume.on_ack(ack, 20.0, rounds);
  EXPECT_TRUE(resume.is_probing());
  rounds.advance(15, 40);  // the first packet of the probe
  resume.on_ack(ack, 20.0, rounds);
  EXPECT_TRUE(resume.is_probing());
  rounds.advance(40, 90);  // all packets of the probe's first round are acknowledged
  resume.on_ack(ack, 20.0, rounds);
  EXPECT_FALSE(resume.is_probing());
}

TEST(BbrResume, RetreatsToDrain) {
  BbrResume resume(with_saved(100.0));
  RoundCounter rounds;
  resume.on_ack(after_the_initial_packets(), 20.0, rounds);
  EXPECT_TRUE(resume.on_congestion());
  resume.on_drain_begins();
  EXPECT_TRUE(resume.is_draining());
  EXPECT_DOUBLE_EQ(resume.raised(200.0), 200.0);
  resume.on_drain_ends();
  EXPECT_FALSE(resume.is_draining());
  EXPECT_FALSE(resume.is_probing());
}

TEST(BbrResume, DoesNotProbeAfterCongestion) {
  BbrResume resume(with_saved(100.0));
  RoundCounter rounds;
  EXPECT_FALSE(resume.on_congestion());
  resume.on_ack(after_the_initial_packets(), 20.0, rounds);
  EXPECT_FALSE(resume.is_probing());
  resume.on_drain_begins();
  EXPECT_FALSE(resume.is_draining());
}

// Packets delivered in `duration_ns` over 10,000 packets/s.
template <typename Control>
std::int64_t delivered(const ControlParameters& parameters, Nanoseconds duration_ns) {
  Control control(parameters);
  Path path;
  path.rate = 10'000.0;
  IdealSender sender(control, path);
  sender.run_until(duration_ns);
  return sender.delivered();
}

// In half a second slow start's five rounds deliver 10 + 20 + 40 + 80 + 160 packets, BBR's a few more. With the probe
// rounds of 500 packets, half of the saved window, follow the first one.
template <typename Control>
void starts_faster() {
  EXPECT_LT(delivered<Control>({}, 500'000'000), 400);
  EXPECT_GT(delivered<Control>(with_saved(1000.0), 500'000'000), 1000);
}

TEST(BbrResume, StartsBothVersionsFaster) {
  starts_faster<Bbr>();
  starts_faster<Bbr3>();
}

// The path has a tenth of the saved rate, and a queue of ten packets. Drain keeps the rate that was measured before the
// losses, and the control goes on from there.
template <typename Control>
void retreats() {
  Control control(with_saved(1000.0));
  Path path;
  path.queue = 10;
  IdealSender sender(control, path);
  bool has_drained = false;
  double rate = 0.0;
  sender.after_ack = [&](const AckSample&) {
    if (!control.resume().is_draining()) return;
    if (has_drained) {
      EXPECT_LE(control.max_bandwidth(), rate);
    }
    has_drained = true;
    rate = control.max_bandwidth();
  };
  sender.run_until(20'000'000'000);
  EXPECT_TRUE(has_drained);
  EXPECT_FALSE(control.resume().is_draining());
  EXPECT_GT(sender.delivered(), 15'000);
}

TEST(BbrResume, RetreatsFromAPathThatHasBecomeSlower) {
  retreats<Bbr>();
  retreats<Bbr3>();
}

}  // namespace
}  // namespace clift::tcp
