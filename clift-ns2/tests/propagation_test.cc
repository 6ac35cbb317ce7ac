// Propagation over a series of round-trip times, by hand.
#include "core/propagation.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/input_error.h"
#include "core/npy.h"
#include "emulate/link.h"
#include "tests/scratch_folder.h"

namespace clift {
namespace {

// 40 ns, rises to 60 ns within 100 ns; a step down to 20 ns; falls to 10 ns within 100 ns.
const std::vector<RttRow> rows = {{1000, 40}, {1100, 60}, {1100, 20}, {1200, 10}};

TEST(RttSeries, IsLinearBetweenRowsAndStepsWhereTwoHaveOneTime) {
  const RttSeries series(rows);
  EXPECT_EQ(series.rtt_ns(0, false), 40);
  EXPECT_EQ(series.rtt_ns(50, false), 50);
  EXPECT_EQ(series.rtt_ns(99, false), 59);  // 40 + 20 * 99 / 100 = 59.8
  EXPECT_EQ(series.rtt_ns(100, false), 20);
  EXPECT_EQ(series.rtt_ns(150, false), 15);
}

TEST(RttSeries, KeepsItsLastValueOrBeginsAgain) {
  const RttSeries series(rows);
  EXPECT_EQ(series.rtt_ns(200, false), 10);
  EXPECT_EQ(series.rtt_ns(1'000'000, false), 10);
  EXPECT_EQ(series.rtt_ns(200, true), 40);
  EXPECT_EQ(series.rtt_ns(650, true), 50);
  const RttSeries constant({{5, 7}});
  EXPECT_EQ(constant.rtt_ns(0, true), 7);
  EXPECT_EQ(constant.rtt_ns(9, true), 7);
}

TEST(RttSeries, HoldsTheLongestTimes) {
  const Nanoseconds longest = RttRow::max_time_ns;
  EXPECT_EQ(RttSeries({{0, 0}, {longest, longest}}).rtt_ns(longest / 2, false), longest / 2);
}

TEST(Propagation, IsHalfOfTheRoundTripOfTheMoment) {
  Propagation link(RttSeries(rows), {50, false, true});
  EXPECT_EQ(link.arrival_ns(0), 25);
  EXPECT_EQ(link.arrival_ns(49), 49 + 29);
  EXPECT_EQ(link.arrival_ns(50), 50 + 10);
  EXPECT_EQ(Propagation(30).arrival_ns(12), 42);
}

TEST(Propagation, KeepsTheOrderOfPacketsAtAStepDown) {
  Propagation link(RttSeries(rows), {50, false, false});
  EXPECT_EQ(link.arrival_ns(49), 78);
  EXPECT_EQ(link.arrival_ns(50), 78);
  EXPECT_EQ(link.arrival_ns(68), 78);  // 68 + 9
  EXPECT_EQ(link.arrival_ns(70), 79);  // 70 + 9
  // A packet that left before one that is known already waits for none.
  EXPECT_EQ(link.arrival_ns(60), 69);
}

TEST(Propagation, DelaysThePacketsOfALink) {
  // 8 bytes at 8 Gbit/s: 8 ns each.
  Link<int> link(RatePlan(8e9), {}, Propagation(RttSeries(rows), {92, false, true}));
  for (int i = 0; i < 2; ++i) {
    EmulatedPacket<int> packet;
    packet.payload = i;
    packet.record.uid = i;
    packet.record.size_bytes = 8;
    link.take(0, packet);
  }
  // The first leaves at 8, behind the step: 100 - 92.
  auto outcome = link.outcome(never);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->due_ns, 18);
  outcome = link.outcome(never);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->due_ns, 16 + 10);  // 20 - 10 * 8 / 100 = 19.2 is 20 in whole ns towards the row before, half of it
}

std::string series_refusal(const std::string& content) {
  const ScratchFolder folder;
  const std::string path = folder.file("rtt.npy");
  write_file(path, content);
  try {
    read_rtt_series(path);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "accepted";
}

std::string file_of(const std::vector<RttRow>& series) {
  const std::string bytes(reinterpret_cast<const char*>(series.data()), series.size() * sizeof(RttRow));
  return npy_header(RttRow::descr, static_cast<std::int64_t>(series.size())) + bytes;
}

TEST(RttSeriesFile, IsReadAndChecked) {
  EXPECT_EQ(series_refusal(file_of(rows)), "accepted");
  EXPECT_EQ(series_refusal(file_of({{5, 1}, {4, 1}})),
            ":row 2: time_ns is 4, earlier than 5 in the row before; times must increase");
  EXPECT_EQ(series_refusal(file_of({{5, -1}})), ":row 1: rtt_ns is -1; the least allowed is 0");
  EXPECT_EQ(series_refusal(file_of({})), ": there are no rows; a trace has at least one");
  EXPECT_EQ(series_refusal(file_of(rows).substr(0, 128 + 16)),
            ": the file is cut short: its header promises 4 rows, it holds 1");
  EXPECT_EQ(series_refusal(npy_header("[('f0', '<i8')]", 0)),
            ": these are not the columns of a rtt trace, which are time_ns <i8, rtt_ns <i8");
}

}  // namespace
}  // namespace clift
