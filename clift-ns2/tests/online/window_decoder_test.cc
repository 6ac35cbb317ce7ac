#include "core/online/window_decoder.h"

#include <gtest/gtest.h>

#include <tuple>

#include "core/online/gf256.h"
#include "core/online/tinymt32.h"
#include "tests/online/slow_window.h"
#include "tests/rows.h"

namespace clift {
namespace {

using Units = std::vector<std::int64_t>;

TEST(TinyMt32, BeginsAsRfc8682Says) {
  TinyMt32 generator(1);
  for (const std::uint32_t number : {2545341989U, 981918433U, 3715302833U, 2387538352U, 3591001365U, 3820442102U,
                                     2114400566U, 2196103051U, 2783359912U, 764534509U}) {
    EXPECT_EQ(generator.next(), number);
  }
}

TEST(Gf256, MultipliesPolynomials) {
  const Gf256& field = Gf256::field();
  EXPECT_EQ(field.product(0x80, 2), 0x1d);  // x^8 is x^4 + x^3 + x^2 + 1
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      ASSERT_EQ(field.product(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)), slow_product(a, b));
    }
    if (a == 0) continue;
    ASSERT_EQ(field.inverse(static_cast<std::uint8_t>(a)), slow_inverse(a));
  }
}

TEST(WindowDecoder, RecoversTheOnlyUnknown) {
  WindowDecoder decoder(4);
  decoder.take_source(0);
  EXPECT_EQ(decoder.take_source(2).known, Units{2});
  EXPECT_EQ(decoder.take_repair(0, 0, 2).known, Units{1});
  EXPECT_TRUE(decoder.take_repair(1, 0, 2).known.empty());
}

TEST(WindowDecoder, RecoversTwoUnknownsFromTwoEquations) {
  WindowDecoder decoder(4);
  EXPECT_TRUE(decoder.take_repair(0, 0, 1).known.empty());
  Units known = decoder.take_repair(1, 0, 1).known;
  std::sort(known.begin(), known.end());
  EXPECT_EQ(known, (Units{0, 1}));
}

TEST(WindowDecoder, RecoversTheOtherUnknownWhenOneArrivesLate) {
  WindowDecoder decoder(4);
  decoder.take_repair(0, 0, 1);
  Units known = decoder.take_source(1).known;
  std::sort(known.begin(), known.end());
  EXPECT_EQ(known, (Units{0, 1}));
}

TEST(WindowDecoder, GivesUpUnitsThatLeaveItsWindow) {
  WindowDecoder decoder(2);
  decoder.take_repair(0, 0, 1);                       // covers units 0 and 1
  EXPECT_TRUE(decoder.take_source(3).left.empty());   // the window is 0 to 3
  EXPECT_EQ(decoder.take_source(4).left, Units{0});
  EXPECT_TRUE(decoder.take_repair(1, 0, 1).known.empty());  // covers unit 0, too
  EXPECT_EQ(decoder.take_repair(2, 1, 2).known.size(), 0U);  // two unknowns, 1 and 2
  EXPECT_EQ(decoder.take_source(20).left, (Units{1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
}

TEST(WindowDecoder, DecidesWhatAllEquationsDecide) {
  Random random(11);
  std::int64_t recovered = 0;
  for (int trial = 0; trial < 80; ++trial) {
    SCOPED_TRACE(trial);
    const std::int64_t window = draw(random, 1, 7);
    const double repair = 0.05 * static_cast<double>(draw(random, 4, 12)), erased = 0.1 * static_cast<double>(draw(random, 1, 6));
    const std::int64_t longest = draw(random, 0, 1) * draw(random, 0, 30);
    std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> arrivals;  // time, repair unit or -1, newest
    std::int64_t units = 0, repairs = draw(random, 0, 2000);
    for (std::int64_t slot = 0; slot < 60; ++slot) {
      const bool is_repair = units > 0 && chance(random, repair);
      if (!is_repair) ++units;
      const std::int64_t number = is_repair ? repairs++ : -1;
      if (!chance(random, erased)) arrivals.emplace_back(slot + draw(random, 0, longest), number, units - 1);
    }
    std::stable_sort(arrivals.begin(), arrivals.end(),
                     [](const auto& one, const auto& other) { return std::get<0>(one) < std::get<0>(other); });
    WindowDecoder decoder(window);
    SlowWindow slow(window);
    std::set<std::int64_t> known, left;
    for (const auto& [time, number, newest] : arrivals) {
      const std::int64_t first = std::max<std::int64_t>(0, newest - window + 1);
      const auto& outcome = number < 0 ? decoder.take_source(newest) : decoder.take_repair(number, first, newest);
      number < 0 ? slow.take_source(newest) : slow.take_repair(number, first, newest);
      for (const std::int64_t unit : outcome.known) ASSERT_TRUE(known.insert(unit).second);
      for (const std::int64_t unit : outcome.left) ASSERT_TRUE(left.insert(unit).second);
      ASSERT_EQ(known, slow.known);
      ASSERT_EQ(left, slow.left);
      if (number >= 0) recovered += static_cast<std::int64_t>(outcome.known.size());
    }
  }
  EXPECT_GT(recovered, 100);
}

}  // namespace
}  // namespace clift
