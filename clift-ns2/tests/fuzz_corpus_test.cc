// Every input of the committed corpora passes; `make fuzz` looks for others.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz_targets.h"

namespace clift {
namespace {

using Target = void (*)(const std::uint8_t*, std::size_t);

void feed(Target target, const std::string& name) {
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CORPUS_FOLDER) + name)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    target(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
    ++inputs;
  }
  EXPECT_GT(inputs, 0);
}

TEST(FuzzCorpus, OfTraces) { feed(fuzz_traces, "cpp-traces"); }
TEST(FuzzCorpus, OfFrames) { feed(fuzz_frames, "cpp-frames"); }
TEST(FuzzCorpus, OfEmulatorSettings) { feed(fuzz_emulator_settings, "cpp-emulator-settings"); }

}  // namespace
}  // namespace clift
