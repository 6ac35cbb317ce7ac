#include "emulate/settings.h"

#include <gtest/gtest.h>

namespace clift {
namespace {

Settings settings_from(std::vector<std::string> words) {
  words.insert(words.begin(), "clift-emulate");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return settings_of(static_cast<int>(argv.size()), argv.data());
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    settings_from(words);
  } catch (const SettingError& error) {
    return error.what();
  }
  return "";
}

TEST(EmulatorSettings, AreReadFromKeysAndValues) {
  const Settings settings = settings_from({"forward", "a.npy", "return_rate_bps", "1e5", "forward_lldu_bytes", "33",
                                  "return_begin_ns", "5", "return_length_ns", "7", "return_offset_ns", "3", "loop", "0",
                                  "sysctl", "net.a=1", "sysctl", "net.b=2", "--", "ls", "--", "-l"});
  EXPECT_EQ(settings.links[0].trace, "a.npy");
  EXPECT_EQ(settings.links[0].options.lldu_bytes, 33);
  EXPECT_EQ(settings.links[1].trace, "");
  EXPECT_EQ(settings.links[1].rate_bps, 1e5);
  EXPECT_EQ(settings.links[1].options.begin_ns, 5);
  EXPECT_EQ(settings.links[1].options.length_ns, 7);
  EXPECT_EQ(settings.links[1].options.offset_ns, 3);
  EXPECT_EQ(settings.links[0].options.length_ns, 0);
  EXPECT_FALSE(settings.links[0].options.loop || settings.links[1].options.loop);
  EXPECT_TRUE(settings.links[0].options.in_order && settings.links[1].options.in_order);
  EXPECT_EQ(settings.queue.limits.packets, 100);
  EXPECT_EQ(settings.sysctls, (std::vector<std::string>{"net.a=1", "net.b=2"}));
  EXPECT_EQ(settings.command, (std::vector<std::string>{"ls", "--", "-l"}));
}

TEST(EmulatorSettings, HoldLimitsAndDisciplineOfTheQueue) {
  const QueueOptions queue = settings_from({"queue", "droptail drop head", "queue_bytes", "3000", "queue_time_ns", "5",
                                   "queue_counts", "waiting", "--", "ls"}).queue;
  EXPECT_EQ(queue.discipline.parameters, (std::vector<std::pair<std::string, std::string>>{{"drop", "head"}}));
  EXPECT_EQ(queue.limits.packets, QueueLimits().packets);
  EXPECT_EQ(queue.limits.bytes, 3000);
  EXPECT_EQ(queue.limits.time_ns, 5);
  EXPECT_FALSE(queue.limits_count_sending);
  EXPECT_EQ(refusal({"queue", "droptail drop both", "--", "ls"}), "queue droptail: drop is both; allowed is tail or head");
  EXPECT_EQ(refusal({"queue", "droptail target 1", "--", "ls"}),
            "queue droptail: target is not a setting; there are drop");
  EXPECT_EQ(refusal({"queue", "droptail drop", "--", "ls"}), "queue droptail: drop has no value");
  EXPECT_EQ(refusal({"queue", "none", "--", "ls"}).rfind("queue is none; allowed is ", 0), 0u);
}

TEST(EmulatorSettings, AreRefusedByName) {
  EXPECT_EQ(refusal({"rtt_ns", "-1", "--", "ls"}),
            "rtt_ns is -1; allowed is a whole number from 0 to 4611686018427387904");
  EXPECT_EQ(refusal({"forward_length_ns", "nan", "--", "ls"}),
            "forward_length_ns is nan; allowed is a whole number from 0 to 4611686018427387904");
  EXPECT_EQ(refusal({"queue_packets", "1x", "--", "ls"}),
            "queue_packets is 1x; allowed is a whole number from 0 to 4611686018427387904");
  EXPECT_EQ(refusal({"forward_rate_bps", "nan", "--", "ls"}),
            "forward_rate_bps is nan; allowed is a number from 1 to 1e+12");
  EXPECT_EQ(refusal({"speed", "1", "--", "ls"}).substr(0, 42), "speed is not a setting; there are folder, ");
  EXPECT_EQ(refusal({"loop"}), "the last key, loop, has no value");
  EXPECT_EQ(refusal({"loop", "1", "--"}), "there is no command; it follows `--`");
}

}  // namespace
}  // namespace clift
