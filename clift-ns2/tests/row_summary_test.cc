#include "core/row_summary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/rows.h"

namespace clift {
namespace {

void expect_equal(const RowSummary& summary, const RowSummary& expected) {
  EXPECT_EQ(summary.sent_ns, expected.sent_ns);
  EXPECT_EQ(summary.settled_ns, expected.settled_ns);
  EXPECT_EQ(summary.fate, expected.fate);
}

// Looks at every row of the run.
RowSummary looked_through(const Rows& rows, std::size_t begin, std::size_t end) {
  RowSummary summary;
  for (std::size_t i = begin; i < end; ++i) {
    const bool open = rows[i].delay_ns < 0;
    const Nanoseconds settled_ns = open ? rows.back().tx_time_ns : rows[i].tx_time_ns + rows[i].delay_ns;
    summary.settled_ns = std::max(summary.settled_ns, settled_ns);
    if (open && summary.fate == Fate::delivered) summary.fate = Fate::unsettled;
    if (!open && rows[i].delivered == 0) summary.fate = Fate::lost;
    summary.sent_ns = rows[i].tx_time_ns;
  }
  return summary;
}

TEST(RowSummary, TakesTheLastFateAndTellsOfLostAndUnsettledRows) {
  // Settled at 0 + 70, 10 + 5, 20 + 90, for the unsettled one at the end of the trace, 40, and 40 + 1.
  const Rows rows = {delivered_row(0, 70), delivered_row(10, 5), lost_row(20, 90), unsettled_row(30),
                     delivered_row(40, 1)};
  const RowSummaries summaries(view(rows));
  expect_equal(summaries.of(0, 2), {10, 70, Fate::delivered});
  expect_equal(summaries.of(1, 2), {10, 15, Fate::delivered});
  expect_equal(summaries.of(0, 5), {40, 110, Fate::lost});
  expect_equal(summaries.of(3, 4), {30, 40, Fate::unsettled});
  expect_equal(summaries.of(3, 5), {40, 41, Fate::unsettled});
}

TEST(RowSummary, EqualsALookThroughAllRows) {
  Random random(1);
  // Every run of each trace. Delays far above the distances put the latest row anywhere in a run, delays far below put
  // it at the end, and small numbers let rows be settled together.
  for (int round = 0; round < 30; ++round) {
    const std::int64_t count = round < 10 ? round + 1 : draw(random, 11, 100);
    const std::int64_t delays_ns[] = {0, 3, 100, 100'000};
    const Rows rows = random_rows(random, count, chance(random, 0.5) ? 2 : 10, delays_ns[draw(random, 0, 3)]);
    const RowSummaries summaries(view(rows));
    for (std::size_t begin = 0; begin < rows.size(); ++begin) {
      for (std::size_t end = begin + 1; end <= rows.size(); ++end) {
        SCOPED_TRACE(testing::Message() << "round " << round << ", " << begin << " to " << end);
        expect_equal(summaries.of(begin, end), looked_through(rows, begin, end));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(RowSummary, EqualsALookThroughAllRowsOfALongTrace) {
  Random random(2);
  const Rows rows = random_rows(random, 40'000, 10, 100'000);
  const RowSummaries summaries(view(rows));
  for (const std::int64_t longest : {100, 40'000}) {
    for (int query = 0; query < 300; ++query) {
      const auto begin = draw(random, 0, 39'999), end = std::min(begin + draw(random, 1, longest), std::int64_t{40'000});
      SCOPED_TRACE(testing::Message() << begin << " to " << end);
      const auto from = static_cast<std::size_t>(begin), to = static_cast<std::size_t>(end);
      expect_equal(summaries.of(from, to), looked_through(rows, from, to));
    }
  }
}

// Distances are known up to 255 rows: one row that is settled late, lost or open, and runs around it that are as long.
TEST(RowSummary, EqualsALookThroughAllRowsFarFromTheOneThatDecides) {
  for (const LinkRow& one : {delivered_row(0, 5000), lost_row(0, 5000), unsettled_row(0)}) {
    Rows rows;
    for (std::int64_t i = 0; i < 700; ++i) {
      rows.push_back(i == 20 ? one : delivered_row(0, 3));
      rows.back().tx_time_ns = 10 * i;
    }
    const RowSummaries summaries(view(rows));
    for (const std::size_t begin : {0, 19, 20, 21}) {
      for (std::size_t end = begin + 1; end <= rows.size(); ++end) {
        SCOPED_TRACE(testing::Message() << begin << " to " << end);
        expect_equal(summaries.of(begin, end), looked_through(rows, begin, end));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(RowSummary, GoesThroughRowsThatAreSettledInInverseOrder) {
  Rows rows;
  for (std::int64_t i = 0; i < 600; ++i) rows.push_back(delivered_row(10 * i, 1'000'000 - 20 * i));
  const RowSummaries summaries(view(rows));
  for (const std::size_t end : {1, 50, 255, 256, 511, 600}) {
    SCOPED_TRACE(end);
    expect_equal(summaries.of(0, end), {10 * static_cast<Nanoseconds>(end - 1), 1'000'000, Fate::delivered});
  }
}

TEST(RowSummary, StaysInTheRangeOfTime) {
  // 2^62 + 2^62 is one more than 64 bits hold.
  const Nanoseconds latest_ns = Nanoseconds{1} << 62;
  const Rows rows = {delivered_row(latest_ns, latest_ns)};
  EXPECT_EQ(RowSummaries(view(rows)).of(0, 1).settled_ns, never);
}

}  // namespace
}  // namespace clift
