// Settings of a path in both units of time.
#include "core/path_settings.h"

#include <gtest/gtest.h>

#include <map>

#include "core/words.h"

namespace clift {
namespace {

TEST(PathSettings, AreTheSameInSecondsAndNanoseconds) {
  PathSettings path;
  SettingTable table;
  path.declare(table, TimeUnit::seconds);
  table.set("rtt_s", "0.25");
  table.set("forward_begin_s", "1417000000.123456789");
  table.set("hold_s", "1e-3");
  table.set("queue", "codel  target 0.01");
  table.set("queue_time_s", "0.05");
  path.complete();
  EXPECT_EQ(path.rtt_ns, 250'000'000);
  EXPECT_EQ(path.links[0].options.begin_ns, 1'417'000'000'123'456'789);
  EXPECT_EQ(path.links[1].options.hold_ns, 1'000'000);
  EXPECT_EQ(path.queue.limits.packets, QueueLimits().packets);
  EXPECT_EQ(path.queue.limits.time_ns, 50'000'000);
  const auto listed = table.values();
  std::map<std::string, std::string> values(listed.begin(), listed.end());
  EXPECT_EQ(values["rtt_s"], "0.25");
  EXPECT_EQ(values["forward_begin_s"], "1417000000.123456789");
  EXPECT_EQ(values["hold_s"], "0.001");
  EXPECT_EQ(values["queue"], "codel target 0.01");
  EXPECT_EQ(values["queue_packets"], "0");
  EXPECT_EQ(values["queue_counts"], "all");
  EXPECT_EQ(values["forward_rate_bps"], "2000000");
  EXPECT_EQ(values["in_order"], "1");
}

TEST(PathSettings, HaveALimitOfTheQueue) {
  PathSettings path;
  path.complete();
  EXPECT_EQ(path.queue.limits.packets, 100);
}

TEST(Words, HoldTimesInSeconds) {
  EXPECT_EQ(nanoseconds_in("4611686018.427387904"), 4'611'686'018'427'387'904);
  EXPECT_EQ(nanoseconds_in("0.000000001"), 1);
  EXPECT_EQ(nanoseconds_in("7"), 7'000'000'000);
  EXPECT_EQ(nanoseconds_in("7."), 7'000'000'000);
  EXPECT_EQ(nanoseconds_in("2.5e-9"), 3);
  EXPECT_EQ(nanoseconds_in("0.0000000014"), 1);
  EXPECT_EQ(nanoseconds_in("-1.5"), -1'500'000'000);
  for (const char* word : {"", ".", "-", "1s", "nan", "inf", "1e30", "1..2", "0x5"}) EXPECT_FALSE(nanoseconds_in(word)) << word;
}

}  // namespace
}  // namespace clift
