#include "emulate/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/rows.h"

namespace clift {
namespace {

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram times;
  EXPECT_EQ(times.count(), 0);
  EXPECT_EQ(times.quantile_ns(0.5), 0);
  EXPECT_EQ(times.least_ns(), 0);
  EXPECT_EQ(times.most_ns(), 0);
}

TEST(Histogram, HoldsSmallAndLargestValues) {
  Histogram times;
  for (const Nanoseconds value : {Nanoseconds{-5}, Nanoseconds{63}, Nanoseconds{64}, never}) times.add(value);
  EXPECT_EQ(times.least_ns(), 0);
  EXPECT_EQ(times.most_ns(), never);
  EXPECT_EQ(times.quantile_ns(0.25), 0);
  EXPECT_EQ(times.quantile_ns(0.5), 63);
  EXPECT_EQ(times.quantile_ns(0.75), 64);
  EXPECT_EQ(times.quantile_ns(1.0), never);
  EXPECT_EQ(times.at_least(64), 2);
}

TEST(Histogram, GivesQuantilesUpToA64th) {
  Random random(5);
  Histogram times;
  std::vector<Nanoseconds> all;
  for (int i = 0; i < 20'000; ++i) {
    all.push_back(static_cast<Nanoseconds>(std::exp(std::uniform_real_distribution<>(0, 40)(random))));
    times.add(all.back());
  }
  std::sort(all.begin(), all.end());
  for (const double share : {0.0, 0.001, 0.05, 0.5, 0.95, 0.99, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share * static_cast<double>(all.size()))));
    const Nanoseconds exact = all[rank - 1], found = times.quantile_ns(share);
    EXPECT_GE(found, exact) << share;
    EXPECT_LE(found, exact + exact / 64) << share;
  }
}

}  // namespace
}  // namespace clift
