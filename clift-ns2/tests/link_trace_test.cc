// The files of traces/contract, which every reader must take or refuse alike, and what only this one may meet.
#include "core/link_trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/input_error.h"
#include "core/npy.h"
#include "tests/rows.h"
#include "tests/scratch_folder.h"

namespace clift {
namespace {

struct Sample {
  std::string file, kind, place, reason;
};

// The `.npy` link files that expected.tsv lists, good ones (`reason` empty) or bad ones.
std::vector<Sample> samples(bool good) {
  std::ifstream table(CONTRACT_FOLDER "expected.tsv");
  std::vector<Sample> found;
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    Sample sample;
    for (std::string* field : {&sample.file, &sample.kind, &sample.place, &sample.reason}) {
      std::getline(fields, *field, '\t');
    }
    const bool npy = std::filesystem::path(sample.file).extension() == ".npy";
    if (npy && sample.kind == "link" && sample.reason.empty() == good) found.push_back(sample);
  }
  return found;
}

std::string refusal_of(const std::string& path) {
  try {
    const LinkTraceFile accepted(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// What make_contract.py wrote: in time, late, given up, at no delay, unsettled, and the latest times allowed.
constexpr Nanoseconds latest_ns = Nanoseconds{1} << 62;
const Rows contract_rows = {
    {0, 20'000'000, 1, 1},
    {1'500'000, 520'000'000, 1, 2},
    {1'500'001, 1'000'000'000, 0, 255},
    {3'000'000, 0, 1, 1},
    {4'500'000, -1, 0, 3},
    {latest_ns, latest_ns, 1, 1},
};

TEST(LinkTrace, HoldsTheRowsOfEveryGoodContractFile) {
  const auto good = samples(true);
  EXPECT_GE(good.size(), 3U);  // one for each version of the form
  for (const Sample& sample : good) {
    SCOPED_TRACE(sample.file);
    const LinkTraceFile trace(CONTRACT_FOLDER + sample.file);
    EXPECT_EQ(trace.path(), CONTRACT_FOLDER + sample.file);
    ASSERT_EQ(trace.rows().count, contract_rows.size());
    for (std::size_t i = 0; i < contract_rows.size(); ++i) {
      SCOPED_TRACE("row " + std::to_string(i + 1));
      const LinkRow row = trace.rows()[i], expected = contract_rows[i];
      EXPECT_EQ(+row.tx_time_ns, +expected.tx_time_ns);
      EXPECT_EQ(+row.delay_ns, +expected.delay_ns);
      EXPECT_EQ(row.delivered, expected.delivered);
      EXPECT_EQ(row.transmissions, expected.transmissions);
    }
  }
}

TEST(LinkTrace, RefusesEveryBadContractFileInTheAgreedWords) {
  const auto bad = samples(false);
  EXPECT_GE(bad.size(), 20U);
  for (const Sample& sample : bad) {
    const std::string path = CONTRACT_FOLDER + sample.file;
    const std::string expected = path + (sample.place.empty() ? "" : ":" + sample.place) + ": " + sample.reason;
    const std::string said = refusal_of(path);
    if (const auto open_end = expected.rfind("..."); open_end + 3 == expected.size()) {
      EXPECT_EQ(said.substr(0, open_end), expected.substr(0, open_end));
    } else {
      EXPECT_EQ(said, expected);
    }
  }
}

TEST(LinkTrace, RefusesWhatIsNoFile) {
  const ScratchFolder folder;
  EXPECT_EQ(refusal_of(folder.file("absent.npy")), folder.file("absent.npy") + ": No such file or directory");
  EXPECT_EQ(refusal_of(folder.file("")), folder.file("") + ": this is no regular file");
}

TEST(LinkTrace, RefusesMoreRowsThanAFileCanHold) {
  // 2^62 rows of 18 bytes are more bytes than 64 bits count.
  const ScratchFolder folder;
  const std::string path = folder.file("vast.npy");
  write_file(path, npy_header(LinkRow::descr, std::int64_t{1} << 62) + std::string(2 * sizeof(LinkRow), '\0'));
  EXPECT_EQ(refusal_of(path),
            path + ": the file is cut short: its header promises 4611686018427387904 rows, it holds 2");
}

}  // namespace
}  // namespace clift
