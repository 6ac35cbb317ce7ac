// PIE's control law and measurement of the departure rate, by hand.
#include "core/aqm/pie.h"

#include <gtest/gtest.h>

namespace clift {

TEST(PieController, FollowsItsControlLaw) {
  PieController controller{PieOptions()};
  controller.update(0.03);  // (1/8 * 0.015 + 5/4 * 0.03) / 2048
  EXPECT_NEAR(controller.probability(), 1.9226074e-5, 1e-12);
  controller.update(0.03);  // 1/8 * 0.015 / 128
  EXPECT_NEAR(controller.probability(), 3.3874512e-5, 1e-12);
  controller.update(0.1);  // (1/8 * 0.085 + 5/4 * 0.07) / 128
  EXPECT_NEAR(controller.probability(), 8.0047607e-4, 1e-11);
  controller.update(1);  // (1/8 * 0.985 + 5/4 * 0.9) / 32
  EXPECT_NEAR(controller.probability(), 0.039804382, 1e-9);
  controller.update(1);  // 1/8 * 0.985 / 2
  EXPECT_NEAR(controller.probability(), 0.101366882, 1e-9);
  controller.update(1);  // 1/8 * 0.985, but at most 0.02 from 0.1 on
  EXPECT_NEAR(controller.probability(), 0.121366882, 1e-9);
  controller.update(0);
  EXPECT_EQ(controller.probability(), 0);
}

TEST(PieController, ForgetsFasterWithoutAnyDelay) {
  PieOptions options;
  options.target_ns = 10'000;
  options.alpha_hz = 1;
  options.beta_hz = 0;
  PieController controller(options);
  controller.update(0.1);  // 0.09999 / 2048
  EXPECT_NEAR(controller.probability(), 4.88232422e-5, 1e-13);
  controller.update(0);  // - 1e-5 / 128
  EXPECT_NEAR(controller.probability(), 4.87451172e-5, 1e-13);
  controller.update(0);  // - 1e-5 / 128, then 98 % of it
  EXPECT_NEAR(controller.probability(), 4.76936523e-5, 1e-13);
}

TEST(DepartureRate, IsAMovingAverageOfTheTimeFor16KiB) {
  DepartureRate rate(1 << 14);
  Nanoseconds now_ns = 0;
  const auto depart = [&](int packets, Nanoseconds each_ns) {
    for (int i = 0; i < packets; ++i) rate.departed(now_ns += each_ns, 1000, 20'000);
  };
  depart(1, 0);  // begins
  EXPECT_EQ(rate.delay_s(1 << 14), 0);
  depart(17, 1'000'000);
  EXPECT_NEAR(rate.delay_s(1 << 14), 0.017, 1e-12);
  depart(17, 2'000'000);  // a quarter of 34 ms and three of 17
  EXPECT_NEAR(rate.delay_s(1 << 15), 2 * 0.02125, 1e-12);
}

}  // namespace clift
