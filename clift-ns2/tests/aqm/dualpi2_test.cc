// DualPI2's coupling in steady state: windows of a scalable and a Reno-like flow that it marks.
#include "core/aqm/dualpi2.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/aqm/offers.h"

namespace clift {

namespace {

// A packet of L4S and a Classic one arrive every ms, and two leave, so that a Classic packet waits as long as asked for.
class Steady {
 public:
  explicit Steady(double coupling) : queue_(QueueLimits(), options(coupling)) {}

  // `on_packet` is told of each packet that leaves: the kind's number, 0 for L4S, and whether it is marked.
  template <class OnPacket>
  void run(int steps, std::int64_t wait_ms, OnPacket on_packet) {
    for (int step = 0; step < steps; ++step, now_ns_ += ms) {
      for (const Ecn ecn : {Ecn::ect_1, Ecn::ect_0}) queue_.enqueue(packet_of(now_ns_, 1500, ecn, ecn == Ecn::ect_0));
      QueuedPacket packet;
      while (queue_.load().packets > wait_ms && queue_.dequeue(now_ns_, packet)) {
        on_packet(packet.flow_hash, packet.is_marked);
      }
    }
  }

 private:
  static DualPi2Options options(double coupling) {
    DualPi2Options options;
    options.coupling = coupling;
    options.threshold_ns = 1000 * ms;  // L4S's own marks are not what is tested
    return options;
  }

  DualPi2 queue_;
  Nanoseconds now_ns_ = 0;
};

// Mean windows of both flows. Each adds a packet to its window in a round trip; a mark takes half a packet off the
// scalable one's, and half of the Reno-like one's.
std::array<double, 2> windows(double coupling, std::int64_t wait_ms, int updates) {
  Steady steady(coupling);
  const auto ignore = [](std::uint32_t, bool) {};
  steady.run(15 * updates, wait_ms, ignore);
  steady.run(30, 15, ignore);
  std::array<double, 2> window{10, 10}, rounds{0, 0}, packets{0, 0};
  const auto respond = [&](std::uint32_t kind, bool is_marked) {
    double& own = window[kind];
    ++packets[kind];
    rounds[kind] += 1 / own;
    own += 1 / own;
    if (is_marked) own -= kind == 0 ? 0.5 : own / 2;
  };
  steady.run(20'000, 15, respond);
  packets = rounds = {0, 0};
  steady.run(100'000, 15, respond);
  return {packets[0] / rounds[0], packets[1] / rounds[1]};
}

}  // namespace

// After n updates at a wait of w, and then always the target's 15 ms, p' = 3 Hz * 15 ms + n * 0.15 Hz * (w - 15 ms). The
// windows are 2 / (k p') and sqrt(1.5) / p' (RFC 9332, appendix C.2), so that k = 1.63 makes them equal.
TEST(DualPi2, CouplesTheWindowsOfScalableAndRenoLikeFlows) {
  struct Case {
    std::int64_t wait_ms;
    int updates;
    double base;
  };
  for (const Case& c : {Case{10, 40, 0.015}, Case{10, 20, 0.03}, Case{15, 1, 0.045}, Case{25, 30, 0.09}}) {
    for (const double coupling : {1.0, 1.633, 2.0}) {
      const auto [scalable, reno] = windows(coupling, c.wait_ms, c.updates);
      EXPECT_NEAR(scalable * coupling * c.base / 2, 1, 0.05) << c.base << " " << coupling;
      EXPECT_NEAR(reno * c.base / std::sqrt(1.5), 1, 0.05) << c.base << " " << coupling;
      EXPECT_NEAR(scalable / reno * coupling / 1.633, 1, 0.1) << c.base << " " << coupling;
    }
  }
}

}  // namespace clift
