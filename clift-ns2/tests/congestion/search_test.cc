#include "core/tcp/congestion/search.h"

#include <gtest/gtest.h>

#include <optional>

#include "core/tcp/congestion/cubic.h"
#include "core/tcp/congestion/reno.h"
#include "tests/congestion/ideal_sender.h"
#include "tests/congestion/script.h"

namespace clift::tcp {
namespace {

// With a first RTT of 200 ms, bins are 70 ms long: 3.5 x 200 / 10.
constexpr Nanoseconds bin = 70 * millisecond;

// Ends bins one after the other, each with its packets, one nanosecond after its end. Returns the first answer and its bin.
struct Bins {
  explicit Bins(Nanoseconds rtt = 140 * millisecond) : rtt_ns(rtt) { search.begin(0, 200 * millisecond); }
  std::optional<double> add(std::int64_t packets) { return search.on_ack(++count * bin + 1, rtt_ns, packets); }
  Search search;
  Nanoseconds rtt_ns;  // now; 140 ms are two bins
  std::int64_t count = 0;
};

TEST(Search, NeedsAWindowBeforeTheRtt) {
  // Constant delivery is half of what is expected, so each check ends slow start: the first is that of bin 12, counted
  // from 0, whose window before the RTT ends with bin 10.
  Bins bins;
  for (int i = 0; i < 12; ++i) EXPECT_FALSE(bins.add(10)) << i;
  const std::optional<double> overshoot = bins.add(10);
  ASSERT_TRUE(overshoot);
  EXPECT_DOUBLE_EQ(*overshoot, 50.0);  // two first RTTs are 5.7 bins: five whole ones
}

TEST(Search, LetsDoublingGoOn) {
  // Each bin has sqrt(2) of the one before, so that two bins, an RTT, are a doubling.
  Bins bins;
  double packets = 1000.0;
  for (int i = 0; i < 25; ++i, packets *= 1.41421356) EXPECT_FALSE(bins.add(static_cast<std::int64_t>(packets))) << i;
}

TEST(Search, EndsAtTheThreshold) {
  // Windows of 10 bins: bins 1 to 10 before, 3 to 12 now. All have 100 packets but 11 and 12, which have x each. Then
  // 2000 are expected, and 800 + 2 x were delivered: 1 - .4 - x / 1000 is .35 for x = 250.
  for (const auto& [x, ends] : {std::pair(250, true), std::pair(251, false)}) {
    Bins bins;
    for (int i = 0; i < 11; ++i) ASSERT_FALSE(bins.add(100));
    ASSERT_FALSE(bins.add(x));
    EXPECT_EQ(bins.add(x).has_value(), ends) << x;
  }
}

TEST(Search, InterpolatesBetweenBins) {
  // An RTT of 2.5 bins, so that the window before is half of bin 0, bins 1 to 9, and half of bin 10. Bin 0 is empty, 1 to
  // 10 have 100 packets, 11 and 12 have x each. 1900 are expected, of which 65 % are 1235; 800 + 2 x were delivered.
  for (const auto& [x, ends] : {std::pair(217, true), std::pair(218, false)}) {
    Bins bins(175 * millisecond);
    ASSERT_FALSE(bins.add(0));
    for (int i = 1; i < 11; ++i) ASSERT_FALSE(bins.add(100));
    ASSERT_FALSE(bins.add(x));
    EXPECT_EQ(bins.add(x).has_value(), ends) << x;
  }
}

TEST(Search, CountsPassedBinsAsEmpty) {
  // Bins 11 and 12 pass without an ACK; that of bin 13 delivers 300: 1000 in bins 4 to 13 against 2 x 900 in 2 to 11.
  Bins bins;
  for (int i = 0; i < 11; ++i) ASSERT_FALSE(bins.add(100));
  bins.count += 2;
  const std::optional<double> overshoot = bins.add(300);
  ASSERT_TRUE(overshoot);
  EXPECT_DOUBLE_EQ(*overshoot, 500.0);  // bins 9 to 13: 100, 100, 0, 0, 300
}

TEST(Search, ForgetsWhatItCountedWhenTheApplicationIsTheLimit) {
  Bins bins;
  for (int i = 0; i < 12; ++i) ASSERT_FALSE(bins.add(100));
  bins.search.restart(bins.count * bin);
  for (int i = 0; i < 12; ++i) EXPECT_FALSE(bins.add(100)) << i;
  EXPECT_TRUE(bins.add(100));
}

TEST(Search, CannotLookBackBeyondItsBins) {
  // 16 bins are more than the 15 that it keeps beside a window.
  Bins bins(16 * bin);
  for (int i = 0; i < 60; ++i) EXPECT_FALSE(bins.add(100)) << i;
}

// The window with which the first slow start ends on a path of 1000 packets/s and 100 ms without losses; 0: it does not.
template <typename Control>
double window_at_the_end(std::optional<SlowStart> slow_start) {
  ControlParameters parameters;
  parameters.slow_start = slow_start;
  Control control(parameters);
  IdealSender sender(control, {});
  double cwnd = 0.0;
  sender.after_ack = [&](const AckSample&) {
    if (cwnd == 0.0 && control.ssthresh() != infinite_ssthresh) cwnd = control.cwnd();
  };
  sender.run_until(6'000 * millisecond);
  return cwnd;
}

TEST(FirstSlowStart, EndsWithSearchSomeRttsBehindTheChokePoint) {
  // Since the bottleneck is full, T = 0, the window grows by 1000/s from 100. The RTT of a packet that arrives at T is
  // (T + .1) / 2, so the window before the RTT ends at (T - .1) / 2. It holds less than 1 / 1.3 of 350 ms of full rate
  // until T is about .45, as before T = 0 deliveries double every 100 ms. Some bins later the window is 550 to 700; 175
  // were delivered in five bins.
  for (const double cwnd : {window_at_the_end<Reno>(SlowStart::search), window_at_the_end<Cubic>(SlowStart::search)}) {
    EXPECT_GT(cwnd, 550.0 - 175.0);
    EXPECT_LT(cwnd, 700.0 - 175.0);
  }
}

TEST(FirstSlowStart, IsTheSameForEveryControl) {
  const double cwnd = window_at_the_end<Cubic>({});  // HyStart++
  EXPECT_GT(cwnd, 113.0);                            // the RTT has grown by an eighth
  EXPECT_EQ(window_at_the_end<Reno>(SlowStart::hystart), cwnd);
}

TEST(FirstSlowStart, EndsWithALossAloneWhereItIsStandard) {
  EXPECT_EQ(window_at_the_end<Cubic>(SlowStart::standard), 0.0);
  EXPECT_EQ(window_at_the_end<Reno>({}), 0.0);
}

}  // namespace
}  // namespace clift::tcp
