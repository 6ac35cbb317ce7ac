#include "core/row_clock.h"

#include <gtest/gtest.h>

#include "tests/rows.h"

namespace clift {
namespace {

// Rows at 5, 15, 25, 45: a mean distance of 40 / 3, so that a repetition lasts 40 * 4 / 3 = 53.3, rounded 53.
const Rows four_rows = {delivered_row(5, 1), lost_row(15, 100), delivered_row(25, 2), unsettled_row(45)};

TEST(RowClock, KeepsTheTimesOfATraceThatDoesNotRepeat) {
  const RowClock clock(view(four_rows), {});
  EXPECT_EQ(clock.tx_time_ns(0), 5);
  EXPECT_EQ(clock.tx_time_ns(3), 45);
  EXPECT_FALSE(clock.ends_before(4));
  EXPECT_TRUE(clock.ends_before(5));
}

TEST(RowClock, RepeatsAtTheMeanDistance) {
  const RowClock clock(view(four_rows), repeating());
  EXPECT_EQ(clock.tx_time_ns(4), 5 + 53);
  EXPECT_EQ(clock.tx_time_ns(7), 45 + 53);
  EXPECT_EQ(clock.tx_time_ns(8), 5 + 2 * 53);
  EXPECT_EQ(clock.repetition_of(7), 1);
  EXPECT_EQ(clock.repetition_of(8), 2);
  EXPECT_FALSE(clock.ends_before(1'000'000));
}

TEST(RowClock, RepeatsAfterItsLength) {
  const RowClock clock(view(four_rows), repeating(2, 100));
  EXPECT_EQ(clock.tx_time_ns(4), 5 + 100);
  EXPECT_EQ(clock.tx_time_ns(11), 45 + 200);
  EXPECT_EQ(clock.first_from(46, 0), 4);
  EXPECT_EQ(clock.first_from(106, 0), 5);
  EXPECT_EQ(clock.repetition_at(0), 0);
  EXPECT_EQ(clock.repetition_at(101), 0);
  EXPECT_EQ(clock.repetition_at(102), 1);  // it begins, 3 ns before its first row
  EXPECT_EQ(clock.repetition_at(302), 3);
}

TEST(RowClock, RepeatsOneRowAfterItsLength) {
  const Rows row = {delivered_row(30, 4)};
  const RowClock clock(view(row), repeating(0, 40));
  EXPECT_EQ(clock.tx_time_ns(0), 30);
  EXPECT_EQ(clock.tx_time_ns(1), 70);
  EXPECT_EQ(clock.first_from(31, 0), 1);
  EXPECT_EQ(clock.first_from(4'000'000'000, 0), 100'000'000);  // 99,999,999 * 40 + 30 is 10 earlier
  EXPECT_EQ(clock.summary(1, 4).sent_ns, 30 + 3 * 40);
  EXPECT_EQ(clock.summary(1, 4).settled_ns, 34 + 3 * 40);
}

TEST(RowClock, FindsTheFirstRowAmongClumps) {
  // Ten rows 1 ns apart in every 200 ms.
  constexpr Nanoseconds length_ns = 200'000'000;
  Rows rows;
  for (Nanoseconds i = 0; i < 10; ++i) rows.push_back(delivered_row(length_ns - 10 + i, 0));
  const RowClock clock(view(rows), repeating(0, length_ns));
  for (const std::int64_t repetition : {0, 1, 2, 50, 4'000'000}) {
    EXPECT_EQ(clock.first_from(repetition * length_ns, 0), 10 * repetition);
    EXPECT_EQ(clock.first_from((repetition + 1) * length_ns - 10, 0), 10 * repetition);
    EXPECT_EQ(clock.first_from((repetition + 1) * length_ns - 9, 0), 10 * repetition + 1);
    EXPECT_EQ(clock.first_from((repetition + 1) * length_ns - 1, 0), 10 * repetition + 9);
  }
}

TEST(RowClock, RoundsTheLengthOfARepetition) {
  // (last - first) * n / (n - 1): 2 * 3 / 2 = 3; 40 * 4 / 3 = 53.3; 41 * 4 / 3 = 54.7; 3 * 3 / 2 = 4.5.
  const auto period_ns = [](std::int64_t count, Nanoseconds last_ns) {
    Rows rows;
    for (std::int64_t i = 0; i < count; ++i) rows.push_back(delivered_row(i + 1 < count ? i : last_ns, 0));
    return RowClock(view(rows), repeating()).tx_time_ns(count);
  };
  EXPECT_EQ(period_ns(3, 2), 3);
  EXPECT_EQ(period_ns(4, 40), 53);
  EXPECT_EQ(period_ns(4, 41), 55);
  EXPECT_EQ(period_ns(3, 3), 5);
}

TEST(RowClock, FindsTheFirstRowFromATimeOn) {
  const RowClock clock(view(four_rows), {});
  EXPECT_EQ(clock.first_from(0, 0), 0);
  EXPECT_EQ(clock.first_from(5, 0), 0);
  EXPECT_EQ(clock.first_from(6, 0), 1);
  EXPECT_EQ(clock.first_from(45, 0), 3);
  EXPECT_EQ(clock.first_from(46, 0), 4);  // none is left
  EXPECT_EQ(clock.first_from(46, 4), 4);
  EXPECT_EQ(clock.first_from(0, 2), 2);  // the hint bounds it from below
}

TEST(RowClock, FindsTheFirstRowFromATimeOnWhateverTheHint) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const bool repeats = round % 2 == 1;
    const bool has_length = round % 4 < 2;
    const std::int64_t count = draw(random, has_length ? 1 : 2, 60);
    const Rows rows = random_rows(random, count, 20, 10);
    Playback playback;
    playback.loop = repeats;
    if (has_length) {
      playback.begin_ns = draw(random, 0, rows.front().tx_time_ns);
      playback.length_ns = rows.back().tx_time_ns + 1 - playback.begin_ns + draw(random, 0, 2000);
    }
    const RowClock clock(view(rows), playback);
    const std::int64_t last_row = repeats ? 3 * count : count;
    const Nanoseconds time_ns = draw(random, 0, clock.tx_time_ns(last_row - 1) + 1 - repeats);
    std::int64_t expected = 0;
    while (expected < last_row && clock.tx_time_ns(expected) < time_ns) ++expected;
    for (std::int64_t hint = 0; hint <= expected; ++hint) {
      ASSERT_EQ(clock.first_from(time_ns, hint), expected) << "from " << time_ns << ", hint " << hint;
    }
  }
}

TEST(RowClock, SummarisesRowsAcrossRepetitions) {
  // One repetition: settled at 6, 115, 27 and, open until the end, 45. The next ones are later by 53 and 106.
  const RowClock clock(view(four_rows), repeating());
  const auto expect = [&](std::int64_t begin, std::int64_t end, const RowSummary& expected) {
    SCOPED_TRACE(testing::Message() << begin << " to " << end);
    const RowSummary summary = clock.summary(begin, end);
    EXPECT_EQ(summary.sent_ns, expected.sent_ns);
    EXPECT_EQ(summary.settled_ns, expected.settled_ns);
    EXPECT_EQ(summary.fate, expected.fate);
  };
  expect(2, 4, {45, 45, Fate::unsettled});
  expect(2, 5, {5 + 53, 6 + 53, Fate::unsettled});
  expect(1, 5, {5 + 53, 115, Fate::lost});
  expect(4, 8, {45 + 53, 115 + 53, Fate::lost});
  expect(3, 9, {5 + 2 * 53, 115 + 53, Fate::lost});           // a whole repetition between two parts
  expect(1, 21, {5 + 5 * 53, 115 + 4 * 53, Fate::lost});  // the last part, one row, is settled at 6 + 5 * 53, before that
}

TEST(RowClock, StaysInTheRangeOfTime) {
  // A repetition of 2^62 * 2 / 1 = 2^63 is one more than 64 bits hold: there is no second one.
  const Nanoseconds latest_ns = Nanoseconds{1} << 62;
  const Rows rows = {delivered_row(0, 0), delivered_row(latest_ns, 0)};
  const RowClock clock(view(rows), repeating());
  EXPECT_EQ(clock.tx_time_ns(2), never);
  EXPECT_EQ(clock.first_from(latest_ns + 1, 0), 2);
}

}  // namespace
}  // namespace clift
