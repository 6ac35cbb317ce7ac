// A soak: whatever the path does, every packet arrives, the books balance, and nothing stalls.
#include "core/tcp/sender.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/rows.h"
#include "tests/tcp/sender_fixture.h"

namespace clift::tcp {
namespace {

struct Weather {
  double loss, ack_loss, delay, duplicate;
  Nanoseconds most_delay_ns;
};

void soak(std::uint64_t seed, const Weather& weather, std::int64_t window, std::int64_t packets) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", window " + std::to_string(window));
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  SenderOptions options;
  options.receiver_window = window;
  options.timestamps = seed % 2 == 0;
  PathOptions path_options;
  path_options.queue_packets = 1 + static_cast<std::int64_t>(random() % 200);
  const std::vector<std::string> controls = congestion_control_names();
  const std::string control = controls[seed % controls.size()];
  SCOPED_TRACE(control);
  ControlParameters parameters;
  parameters.uniform = uniform;
  if (seed % 3 == 0) parameters.saved = SavedPath{static_cast<double>(window), 101 * ms, never};
  if (seed % 5 == 0) parameters.slow_start = SlowStart::search;
  Path path(path_options, options, make_congestion_control(control, parameters));
  path.echoes = options.timestamps;
  const auto some_delays = [&](double loss) {
    if (uniform() < loss) return Delays{};
    Delays delays{uniform() < weather.delay
                      ? static_cast<Nanoseconds>(uniform() * static_cast<double>(weather.most_delay_ns))
                      : 0};
    if (uniform() < weather.duplicate) delays.push_back(static_cast<Nanoseconds>(uniform() * 1e8));
    return delays;
  };
  path.fate = [&](std::int64_t, int) { return some_delays(weather.loss); };
  path.ack_fate = [&] { return some_delays(weather.ack_loss); };
  path.offer(packets);
  Nanoseconds progress_ns = 0;
  std::int64_t una = 0;
  int checks = 0;
  path.run(never, [&] {
    const Sender& sender = path.sender;
    if (sender.una() > una) {
      una = sender.una();
      progress_ns = path.now_ns;
    }
    // Back-off may take minutes when most packets are lost, but never forever.
    ASSERT_LT(path.now_ns - progress_ns, 1'000'000 * ms);
    ASSERT_LE(sender.next() - sender.una(), window);
    ASSERT_LE(sender.una(), path.receiver.next());
    ASSERT_GE(sender.in_flight(), 0);
    ASSERT_GE(sender.cwnd(), 0.0);
    ASSERT_TRUE(sender.una() >= packets || sender.next_deadline_ns() != never);
    if (++checks % 97 != 0 || sender.scoreboard().is_empty()) return;
    std::int64_t in_flight = 0, sacked = 0, lost = 0;
    for (std::int64_t i = sender.una(); i < sender.next(); ++i) {
      const SentPacket& packet = sender.scoreboard().at(i);
      in_flight += packet.is_in_flight;
      sacked += packet.is_sacked;
      lost += packet.is_lost;
      ASSERT_FALSE(packet.is_sacked && (packet.is_in_flight || packet.is_lost));
    }
    ASSERT_EQ(in_flight, sender.in_flight());
    ASSERT_EQ(sacked, sender.scoreboard().sacked());
    ASSERT_EQ(lost, sender.scoreboard().lost());
  });
  expect_all_delivered(path, packets);
  EXPECT_EQ(path.sender.next_deadline_ns(), never);
}

TEST(SenderSoak, DeliversEverything) {
  const Weather weathers[] = {
      {0, 0, 0, 0, 0},
      {0.01, 0, 0, 0, 0},
      {0.1, 0.1, 0, 0, 0},
      {0.3, 0.2, 0, 0, 0},
      {0, 0, 0.2, 0, 40 * ms},
      {0.01, 0, 0.1, 0.01, 400 * ms},
      {0.05, 0.3, 0.5, 0.05, 2000 * ms},
  };
  std::uint64_t seed = 1;
  for (const Weather& weather : weathers) {
    for (const std::int64_t window : {1, 2, 3, 10, 60, 600, 20'000}) {
      for (int repeat = 0; repeat < repeats(1); ++repeat) {
        soak(seed++, weather, window, window < 10 ? 200 : 3000);
        ASSERT_FALSE(testing::Test::HasFailure());
      }
    }
  }
}

}  // namespace
}  // namespace clift::tcp
