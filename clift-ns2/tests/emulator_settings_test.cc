#include "emulate/settings.h"

#include <gtest/gtest.h>

namespace clift {
namespace {

Settings read(std::vector<std::string> words) {
  words.insert(words.begin(), "clift-emulate");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return settings_of(static_cast<int>(argv.size()), argv.data());
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    read(words);
  } catch (const SettingError& error) {
    return error.what();
  }
  return "";
}

TEST(EmulatorSettings, AreReadFromKeysAndValues) {
  const Settings settings = read({"forward", "a.npy", "return_rate_bps", "1e5", "forward_lldu_bytes", "33",
                                  "return_begin_ns", "5", "return_length_ns", "7", "return_offset_ns", "3", "loop", "0",
                                  "sysctl", "net.a=1", "sysctl", "net.b=2", "--", "ls", "--", "-l"});
  EXPECT_EQ(settings.links[0].trace, "a.npy");
  EXPECT_EQ(settings.links[0].lldu_bytes, 33);
  EXPECT_EQ(settings.links[1].trace, "");
  EXPECT_EQ(settings.links[1].rate_bps, 1e5);
  EXPECT_EQ(settings.links[1].playback.begin_ns, 5);
  EXPECT_EQ(settings.links[1].playback.length_ns, 7);
  EXPECT_EQ(settings.links[1].playback.offset_ns, 3);
  EXPECT_EQ(settings.links[0].playback.length_ns, 0);
  EXPECT_FALSE(settings.loop);
  EXPECT_EQ(settings.sysctls, (std::vector<std::string>{"net.a=1", "net.b=2"}));
  EXPECT_EQ(settings.command, (std::vector<std::string>{"ls", "--", "-l"}));
}

TEST(EmulatorSettings, AreRefusedByName) {
  EXPECT_EQ(refusal({"rtt_ns", "-1", "--", "ls"}),
            "rtt_ns is -1; allowed is a whole number from 0 to 4611686018427387904");
  EXPECT_EQ(refusal({"forward_length_ns", "nan", "--", "ls"}),
            "forward_length_ns is nan; allowed is a whole number from 0 to 4611686018427387904");
  EXPECT_EQ(refusal({"queue_packets", "1x", "--", "ls"}),
            "queue_packets is 1x; allowed is a whole number from 1 to 4611686018427387904");
  EXPECT_EQ(refusal({"forward_rate_bps", "nan", "--", "ls"}),
            "forward_rate_bps is nan; allowed is a rate from 1 to 1e12 bit/s");
  EXPECT_EQ(refusal({"speed", "1", "--", "ls"}), "speed is not a setting");
  EXPECT_EQ(refusal({"loop"}), "the last key, loop, has no value");
  EXPECT_EQ(refusal({"loop", "1", "--"}), "there is no command; it follows `--`");
}

}  // namespace
}  // namespace clift
