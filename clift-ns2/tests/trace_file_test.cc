// The files of traces/contract, which every reader must accept or reject alike, and files for this reader only.
#include "core/trace_file.h"

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

// The `.npy` files of one kind that expected.tsv lists, good ones (`reason` empty) or bad ones.
std::vector<Sample> samples(const char* kind, bool good) {
  std::ifstream table(CONTRACT_FOLDER "expected.tsv");
  std::vector<Sample> found;
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    Sample sample;
    for (std::string* field : {&sample.file, &sample.kind, &sample.place, &sample.reason}) {
      std::getline(fields, *field, '\t');
    }
    const bool npy = std::filesystem::path(sample.file).extension() == ".npy";
    if (npy && sample.kind == kind && sample.reason.empty() == good) found.push_back(sample);
  }
  return found;
}

template <class Row = LinkRow>
std::string refusal_of(const std::string& path) {
  try {
    const TraceFile<Row> accepted(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// The rows of traces/contract/maker/rows.py: in time, late, given up, without delay, unsettled, and the latest times allowed.
constexpr Nanoseconds latest_ns = Nanoseconds{1} << 62;
const Rows contract_rows = {
    {0, 20'000'000, 1, 1},
    {1'500'000, 520'000'000, 1, 2},
    {1'500'001, 1'000'000'000, 0, 255},
    {3'000'000, 0, 1, 1},
    {4'500'000, -1, 0, 3},
    {latest_ns, latest_ns, 1, 1},
};

const Sizes contract_sizes = {1, 40, 1500, 12'761, 2'147'483'647, 7};

const std::vector<std::int32_t> contract_es_n0_mdb = {-100'000, -1, 0, 7250, 100'000};

const std::vector<std::uint8_t> contract_modes = {0, 27, 1, 128, 255};

const std::vector<PhyRow> phy_contract_rows = {{0, 200000000}, {1500000, 0}, {1500001, 1}, {3000000, 123456789}, {latest_ns, latest_ns}};

TEST(LinkTrace, HoldsTheRowsOfEveryGoodContractFile) {
  const auto good = samples("link", true);
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
      if (trace.rows().have_sizes()) {
        EXPECT_EQ(trace.rows().size_bytes(i), contract_sizes[i]);
      }
    }
    EXPECT_EQ(trace.rows().have_sizes(), sample.file.find("sizes") != std::string::npos);
  }
}

template <class Row>
void expect_agreed_words(const char* kind, std::size_t least) {
  const auto bad = samples(kind, false);
  EXPECT_GE(bad.size(), least);
  for (const Sample& sample : bad) {
    const std::string path = CONTRACT_FOLDER + sample.file;
    const std::string expected = path + (sample.place.empty() ? "" : ":" + sample.place) + ": " + sample.reason;
    const std::string said = refusal_of<Row>(path);
    if (const auto open_end = expected.rfind("..."); open_end + 3 == expected.size()) {
      EXPECT_EQ(said.substr(0, open_end), expected.substr(0, open_end));
    } else {
      EXPECT_EQ(said, expected);
    }
  }
}

TEST(LinkTrace, RefusesEveryBadContractFileInTheAgreedWords) { expect_agreed_words<LinkRow>("link", 20); }

TEST(PhyTrace, RefusesEveryBadContractFileInTheAgreedWords) { expect_agreed_words<PhyRow>("phy", 4); }

TEST(LinkTrace, RefusesWhatIsNoFile) {
  const ScratchFolder folder;
  EXPECT_EQ(refusal_of(folder.file("absent.npy")), folder.file("absent.npy") + ": No such file or directory");
  EXPECT_EQ(refusal_of(folder.file("")), folder.file("") + ": this is not a regular file");
}

TEST(LinkTrace, RefusesMoreRowsThanAFileCanHold) {
  // 2^62 rows of 18 bytes are more bytes than 64 bits count.
  const ScratchFolder folder;
  const std::string path = folder.file("vast.npy");
  write_file(path, npy_header(LinkRow::descr, std::int64_t{1} << 62) + std::string(2 * sizeof(LinkRow), '\0'));
  EXPECT_EQ(refusal_of(path),
            path + ": the file is cut short: its header promises 4611686018427387904 rows, it holds 2");
}

TEST(PhyTrace, HoldsTheRowsOfTheGoodContractFiles) {
  const auto good = samples("phy", true);
  ASSERT_EQ(good.size(), 8U);  // with and without sizes, Es/N0 and modes
  for (const Sample& sample : good) {
    SCOPED_TRACE(sample.file);
    const PhyTraceFile trace(CONTRACT_FOLDER + sample.file);
    ASSERT_EQ(trace.rows().count, phy_contract_rows.size());
    EXPECT_EQ(trace.rows().have_sizes(), sample.file.find("sizes") != std::string::npos);
    EXPECT_EQ(trace.rows().have_es_n0(), sample.file.find("es-n0") != std::string::npos);
    EXPECT_EQ(trace.rows().have_modes(), sample.file.find("mode") != std::string::npos);
    for (std::size_t i = 0; i < phy_contract_rows.size(); ++i) {
      EXPECT_EQ(+trace.rows()[i].tx_time_ns, +phy_contract_rows[i].tx_time_ns) << "row " << i + 1;
      EXPECT_EQ(+trace.rows()[i].decode_time_ns, +phy_contract_rows[i].decode_time_ns) << "row " << i + 1;
      if (trace.rows().have_sizes()) {
        EXPECT_EQ(trace.rows().size_bytes(i), contract_sizes[i]);
      }
      if (trace.rows().have_es_n0()) {
        EXPECT_EQ(trace.rows().es_n0_mdb(i), contract_es_n0_mdb[i]);
      }
      if (trace.rows().have_modes()) {
        EXPECT_EQ(trace.rows().mode(i), contract_modes[i]);
      }
    }
  }
}

TEST(PhyTrace, RefusesWhatALinkTraceWouldBeRefusedFor) {
  const ScratchFolder folder;
  const std::string path = folder.file("phy.npy");
  const auto refusal = [&](std::vector<PhyRow> rows) {
    const auto* bytes = reinterpret_cast<const char*>(rows.data());
    const auto count = static_cast<std::int64_t>(rows.size());
    write_file(path, npy_header(PhyRow::descr, count) + std::string(bytes, rows.size() * sizeof(PhyRow)));
    return refusal_of<PhyRow>(path);
  };
  EXPECT_EQ(refusal({{0, 5}, {1, 0}}), "accepted");
  EXPECT_EQ(refusal({{0, 5}, {0, 5}}),
            path + ":row 2: tx_time_ns is 0 as in the row before; times must increase");
  EXPECT_EQ(refusal({{0, -1}}), path + ":row 1: decode_time_ns is -1; the least allowed is 0");
  EXPECT_EQ(refusal({{0, latest_ns + 1}}), path + ":row 1: decode_time_ns is 4611686018427387905; the most "
                                                  "allowed is 4611686018427387904");
  EXPECT_EQ(refusal({}), path + ": there are no rows; a trace has at least one");
  const std::string link = CONTRACT_FOLDER "link.npy";
  EXPECT_EQ(refusal_of<PhyRow>(link), link + ": its rows are of kind link; a phy trace is needed");
}

}  // namespace
}  // namespace clift
