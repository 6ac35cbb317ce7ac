#include "core/row_summary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/rows.h"

namespace clift {
namespace {

void expect_equal(const RowSummary& summary, const RowSummary& expected) {
  EXPECT_EQ(summary.settled_ns, expected.settled_ns);
  EXPECT_EQ(summary.lost, expected.lost);
  EXPECT_EQ(summary.unsettled, expected.unsettled);
}

// Looks at every row of the run.
RowSummary looked_through(const Rows& rows, std::size_t begin, std::size_t end) {
  RowSummary summary;
  for (std::size_t i = begin; i < end; ++i) {
    const bool open = rows[i].delay_ns < 0;
    const Nanoseconds settled_ns = open ? rows.back().tx_time_ns : rows[i].tx_time_ns + rows[i].delay_ns;
    summary.settled_ns = std::max(summary.settled_ns, settled_ns);
    if (open) summary.unsettled = true;
    if (!open && rows[i].delivered == 0) summary.lost = true;
  }
  return summary;
}

TEST(RowSummary, TakesTheLastFateAndTellsOfLostAndUnsettledRows) {
  // Settled at 0 + 70, 10 + 5, 20 + 90, for the unsettled one at the end of the trace, 40, and 40 + 1.
  const Rows rows = {delivered_row(0, 70), delivered_row(10, 5), lost_row(20, 90), unsettled_row(30),
                     delivered_row(40, 1)};
  const RowSummaries summaries(view(rows));
  expect_equal(summaries.of(0, 2), {70, false, false});
  expect_equal(summaries.of(1, 2), {15, false, false});
  expect_equal(summaries.of(0, 5), {110, true, true});
  expect_equal(summaries.of(3, 4), {40, false, true});
  expect_equal(summaries.of(3, 5), {41, false, true});
}

TEST(RowSummary, EqualsALookThroughAllRows) {
  Random random(1);
  // Sizes around one and several of the blocks inside, and around those at which there is one level more.
  for (const std::int64_t count : {1, 31, 32, 33, 64, 65, 1000, 1024, 1025, 5000, 40'000}) {
    SCOPED_TRACE(count);
    const Rows rows = random_rows(random, count, 10, 100'000);
    const RowSummaries summaries(view(rows));
    for (int query = 0; query < 300; ++query) {
      const auto begin = static_cast<std::size_t>(draw(random, 0, count - 1));
      const auto end = static_cast<std::size_t>(draw(random, static_cast<std::int64_t>(begin) + 1, count));
      SCOPED_TRACE(testing::Message() << begin << " to " << end);
      expect_equal(summaries.of(begin, end), looked_through(rows, begin, end));
    }
    expect_equal(summaries.of(0, rows.size()), looked_through(rows, 0, rows.size()));
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
