// The channel inside the simulator against the laws of the Gilbert-Elliott model; fixed seeds.
#include "core/online/unit_losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/numbers.h"

namespace clift {
namespace {

TEST(UnitLosses, AreIndependentWithoutStates) {
  Numbers numbers(1);
  UnitLosses losses({1.0, 0.0, 0.01, 0.01}, numbers);
  const int units = 2'000'000;
  int lost = 0, pairs = 0;
  bool before = false;
  for (int i = 0; i < units; ++i) {
    const bool now = losses.next_is_lost();
    lost += now;
    pairs += now && before;
    before = now;
  }
  // Four standard deviations of the binomial law, and of the number of pairs.
  EXPECT_NEAR(lost, 20'000, 4 * std::sqrt(20'000 * 0.99));
  EXPECT_NEAR(pairs, 200, 4 * std::sqrt(200));
  EXPECT_LT(numbers.drawn, 30'000);  // per loss, not per unit
}

TEST(UnitLosses, ComeInBurstsOfGeometricLength) {
  Numbers numbers(2);
  UnitLosses losses({0.98, 0.9, 0.0, 1.0}, numbers);
  const int units = 3'000'000;
  int lost = 0, bursts = 0;
  bool before = false;
  for (int i = 0; i < units; ++i) {
    const bool now = losses.next_is_lost();
    lost += now;
    bursts += now && !before;
    before = now;
  }
  // Stationary probability 0.02 / 0.12 = 1/6, mean burst 10: 50,000 bursts, whose number varies by about 0.5 %.
  EXPECT_NEAR(static_cast<double>(lost) / units, 1.0 / 6.0, 0.003);
  EXPECT_NEAR(static_cast<double>(lost) / bursts, 10.0, 0.2);
}

TEST(UnitLosses, GoOnWhileNothingIsSent) {
  // After 5 unit times the state's correlation with the first state is 0.88^5 = 0.528.
  Numbers numbers(3);
  UnitLosses losses({0.98, 0.9, 0.0, 1.0}, numbers);
  const int pairs = 400'000;
  double both = 0, first = 0, second = 0;
  for (int i = 0; i < pairs; ++i) {
    const bool a = losses.next_is_lost();
    losses.pass(4);
    const bool b = losses.next_is_lost();
    losses.pass(200);
    both += a && b;
    first += a;
    second += b;
  }
  const double p = 1.0 / 6.0;
  EXPECT_NEAR(first / pairs, p, 0.003);
  EXPECT_NEAR(second / pairs, p, 0.003);
  EXPECT_NEAR((both / pairs - p * p) / (p * (1 - p)), std::pow(0.88, 5), 0.01);
}

TEST(UnitLosses, KnowTheirEnds) {
  Numbers numbers(4);
  UnitLosses none({1.0, 0.0, 0.0, 1.0}, numbers), all({0.5, 0.5, 1.0, 1.0}, numbers);
  none.pass(1'000'000'000'000);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(none.next_is_lost());
    EXPECT_TRUE(all.next_is_lost());
  }
}

}  // namespace
}  // namespace clift
