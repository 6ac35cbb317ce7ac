// Examples worked by hand. Rows stand 10 ns apart and carry 1500 bytes.
#include "core/delivery_plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "tests/rows.h"

namespace clift {
namespace {

void expect_delivery(const std::optional<Delivery>& packet, Nanoseconds departure_ns, Nanoseconds arrival_ns,
                     Fate fate = Fate::delivered) {
  ASSERT_TRUE(packet.has_value()) << "the link has stopped";
  EXPECT_EQ(packet->departure_ns, departure_ns);
  EXPECT_EQ(packet->arrival_ns, arrival_ns);
  EXPECT_EQ(packet->fate, fate);
}

void expect_use(const RowUse& use, std::int64_t offered, std::int64_t used, std::int64_t unused,
                std::int64_t repeats = 0) {
  EXPECT_EQ(use.offered, offered);
  EXPECT_EQ(use.used, used);
  EXPECT_EQ(use.offered - use.used, unused);
  EXPECT_EQ(use.repeats, repeats);
}

PlanOptions in_order(Nanoseconds hold_ns = 0) {
  PlanOptions options;
  options.in_order = true;
  options.hold_ns = hold_ns;
  return options;
}

TEST(DeliveryPlan, GivesAPacketAsManyRowsAsItsBytesNeed) {
  const Rows rows = even_rows(12, 100);
  DeliveryPlan plan(view(rows), {});
  expect_delivery(planned(plan, 0, 1), 0, 100);        // row 1
  expect_delivery(planned(plan, 0, 1500), 10, 110);    // row 2
  expect_delivery(planned(plan, 0, 1501), 30, 130);    // rows 3 and 4
  expect_delivery(planned(plan, 0, 3000), 50, 150);    // rows 5 and 6
  expect_delivery(planned(plan, 0, 4501), 90, 190);    // rows 7 to 10
  expect_delivery(planned(plan, 0, 0), 100, 200);      // row 11: no packet is free
}

TEST(DeliveryPlan, FollowsTheSizeOfAnLldu) {
  const Rows rows = even_rows(20, 100);
  PlanOptions options;
  options.lldu_bytes = 100;
  DeliveryPlan plan(view(rows), options);
  expect_delivery(planned(plan, 0, 1500), 140, 240);  // 15 rows
  expect_delivery(planned(plan, 0, 40), 150, 250);
}

TEST(DeliveryPlan, IsDeliveredWithTheLastOfItsRowsToArrive) {
  // The three rows arrive at 0 + 100, 10 + 500 and 20 + 100.
  const Rows rows = {delivered_row(0, 100), delivered_row(10, 500), delivered_row(20, 100)};
  DeliveryPlan plan(view(rows), {});
  expect_delivery(planned(plan, 0, 4500), 20, 510);
}

TEST(DeliveryPlan, WastesTheRowsThatPassWhileTheQueueIsEmpty) {
  const Rows rows = even_rows(12, 100);
  DeliveryPlan plan(view(rows), {});
  expect_delivery(planned(plan, 0, 1500), 0, 100);
  expect_delivery(planned(plan, 20, 1500), 20, 120);   // the row at its very arrival is its own; 10 is wasted
  expect_delivery(planned(plan, 21, 1500), 30, 130);
  expect_delivery(planned(plan, 21, 3000), 50, 150);   // waits for the packet before it: nothing is wasted
  expect_delivery(planned(plan, 91, 1500), 100, 200);  // 60, 70, 80 and 90 are wasted
}

TEST(DeliveryPlan, LosesAPacketWithAnyOfItsRows) {
  const Rows rows = {delivered_row(0, 100), lost_row(10, 300), delivered_row(20, 100), delivered_row(30, 100)};
  DeliveryPlan plan(view(rows), {});
  expect_delivery(planned(plan, 0, 4500), 20, 310, Fate::lost);  // its second row is given up at 10 + 300
  expect_delivery(planned(plan, 0, 1500), 30, 130);
}

TEST(DeliveryPlan, LeavesAPacketOpenWithAnUnsettledRow) {
  // The trace ends with the row at 40: rows that are open then count as settled at that time.
  const Rows rows = {unsettled_row(0), delivered_row(10, 5), unsettled_row(20), lost_row(30, 50),
                     unsettled_row(40)};
  DeliveryPlan plan(view(rows), {});
  expect_delivery(planned(plan, 0, 3000), 10, 40, Fate::unsettled);
  expect_delivery(planned(plan, 0, 3000), 30, 80, Fate::lost);  // of a lost and an open row, the lost one decides
  expect_delivery(planned(plan, 0, 1500), 40, 40, Fate::unsettled);
}

TEST(DeliveryPlan, StopsForGoodWhenTooFewRowsAreLeft) {
  const Rows rows = even_rows(4, 100);
  DeliveryPlan plan(view(rows), {});
  expect_delivery(planned(plan, 0, 3000), 10, 110);
  EXPECT_FALSE(planned(plan, 0, 4500).has_value());  // two are left, three are needed
  EXPECT_FALSE(planned(plan, 0, 1500).has_value());  // nobody overtakes in a first-in, first-out queue
  expect_use(plan.use_until(1000), 4, 2, 2);
}

TEST(DeliveryPlan, TakesTheLastRowOfTheTrace) {
  const Rows rows = even_rows(4, 100);
  DeliveryPlan plan(view(rows), {});
  expect_delivery(planned(plan, 30, 1500), 30, 130);
  EXPECT_FALSE(planned(plan, 30, 1500).has_value());
}

TEST(DeliveryPlan, RepeatsTheTraceWhenAsked) {
  // Four rows over 30 ns: a repetition lasts 30 * 4 / 3 = 40, and the rows go on at 40, 50, 60, 70, 80, ...
  Rows rows = even_rows(4, 100);
  rows[1] = lost_row(10, 200);
  PlanOptions options;
  options.loop = true;
  DeliveryPlan plan(view(rows), options);
  expect_use(plan.use_until(0), 1, 0, 1, 0);
  expect_delivery(planned(plan, 25, 3000), 40, 140);              // rows at 30 and 40
  expect_delivery(planned(plan, 25, 1500), 50, 250, Fate::lost);  // the row at 10 again: 50 + 200
  expect_use(plan.use_until(39), 4, 1, 3, 0);
  expect_use(plan.use_until(40), 5, 2, 3, 1);
  expect_use(plan.use_until(79), 8, 3, 5, 1);
  expect_delivery(planned(plan, 81, 1500), 90, 290, Fate::lost);
  expect_delivery(planned(plan, 81, 15000), 190, 370, Fate::lost);  // 100 to 190; the one at 170 is given up at 370
  expect_use(plan.use_until(190), 20, 14, 6, 4);
}

TEST(DeliveryPlan, StartsAtAnOffsetIntoTheTrace) {
  // At simulated time 0 the trace is at 25: its rows at 30, 40 and 50 come at 5, 15 and 25.
  const Rows rows = even_rows(6, 100);
  PlanOptions options;
  options.offset_ns = 25;
  DeliveryPlan plan(view(rows), options);
  expect_use(plan.use_until(4), 0, 0, 0);
  expect_delivery(planned(plan, 0, 1500), 5, 105);
  expect_use(plan.use_until(5), 1, 1, 0);
  expect_delivery(planned(plan, 16, 1500), 25, 125);  // the row at 15 has passed an empty queue
  expect_use(plan.use_until(16), 2, 1, 1);
  expect_use(plan.use_until(25), 3, 2, 1);
  EXPECT_FALSE(planned(plan, 16, 1500).has_value());
}

TEST(DeliveryPlan, StartsAtAnOffsetIntoATraceThatRepeats) {
  const Rows rows = even_rows(4, 100);  // repeats every 40
  PlanOptions options;
  options.loop = true;
  options.offset_ns = 25;
  DeliveryPlan plan(view(rows), options);
  expect_delivery(planned(plan, 0, 4500), 25, 125);  // the rows at 30, 40 and 50 of the trace's time
  expect_use(plan.use_until(5), 1, 1, 0, 0);
  expect_use(plan.use_until(15), 2, 2, 0, 1);
}

TEST(DeliveryPlan, CountsRepetitionsFromTheOneThatTheRunStartsIn) {
  const Rows rows = even_rows(4, 100);  // repeats every 40
  PlanOptions options;
  options.loop = true;
  options.offset_ns = 105;  // in the third repetition, whose last row comes at 110 - 105 = 5
  DeliveryPlan plan(view(rows), options);
  expect_use(plan.use_until(4), 0, 0, 0, 0);
  expect_delivery(planned(plan, 4, 1500), 5, 105);
  expect_use(plan.use_until(14), 1, 1, 0, 0);
  expect_use(plan.use_until(15), 2, 1, 1, 1);  // the row at 120 begins the fourth
}

// Arrivals by themselves: 0 + 300, 10 + 20, 20 + 200, 30 + 400, 40 + 5; the third is lost.
const Rows reordering_rows = {delivered_row(0, 300), delivered_row(10, 20), lost_row(20, 200),
                              delivered_row(30, 400), delivered_row(40, 5)};

TEST(DeliveryPlan, LeavesPacketsInTheOrderOfTheirArrivalUnlessAsked) {
  DeliveryPlan plan(view(reordering_rows), {});
  expect_delivery(planned(plan, 0, 1500), 0, 300);
  expect_delivery(planned(plan, 0, 1500), 10, 30);
  expect_delivery(planned(plan, 0, 1500), 20, 220, Fate::lost);
  expect_delivery(planned(plan, 0, 1500), 30, 430);
  expect_delivery(planned(plan, 0, 1500), 40, 45);
}

TEST(DeliveryPlan, HoldsPacketsBackForEarlierOnesInOrder) {
  DeliveryPlan plan(view(reordering_rows), in_order());
  expect_delivery(planned(plan, 0, 1500), 0, 300);
  expect_delivery(planned(plan, 0, 1500), 10, 300);              // here at 30, waits for the first
  expect_delivery(planned(plan, 0, 1500), 20, 220, Fate::lost);  // a lost packet waits for no other
  expect_delivery(planned(plan, 0, 1500), 30, 430);
  expect_delivery(planned(plan, 0, 1500), 40, 430);
}

TEST(DeliveryPlan, HoldsPacketsBackForEarlierOnesThatAreGivenUp) {
  const Rows rows = {lost_row(0, 500), delivered_row(10, 20), unsettled_row(20), delivered_row(30, 1),
                     delivered_row(1000, 0)};
  DeliveryPlan plan(view(rows), in_order());
  expect_delivery(planned(plan, 0, 1500), 0, 500, Fate::lost);
  expect_delivery(planned(plan, 0, 1500), 10, 500);
  expect_delivery(planned(plan, 0, 1500), 20, 1000, Fate::unsettled);  // open until the trace ends at 1000
  expect_delivery(planned(plan, 0, 1500), 30, 1000);
}

TEST(DeliveryPlan, HoldsNoPacketLongerThanTheHoldTime) {
  DeliveryPlan plan(view(reordering_rows), in_order(250));
  expect_delivery(planned(plan, 0, 1500), 0, 300);
  expect_delivery(planned(plan, 0, 1500), 10, 280);  // 30 + 250, though the first comes at 300
  expect_delivery(planned(plan, 0, 1500), 20, 220, Fate::lost);
  expect_delivery(planned(plan, 0, 1500), 30, 430);
  expect_delivery(planned(plan, 0, 1500), 40, 295);  // 45 + 250
}

TEST(DeliveryPlan, CountsNoMoreBytesThanTheCounterHolds) {
  // Rows of 2^31 - 1 bytes every nanosecond: 2^63 bytes in some four seconds.
  const Rows rows = {delivered_row(0, 1), delivered_row(1, 1), delivered_row(2, 1)};
  const std::uint32_t most = 2147483647;
  const SizedRows sized(rows, {most, most, most});
  PlanOptions options;
  options.loop = true;
  options.lldu_bytes = most;
  for (const LinkRows each : {view(rows), sized.view()}) {
    DeliveryPlan plan(each, options);
    planned(plan, 10'000'000'000, 1500);
    const RowUse use = plan.use_until(20'000'000'000);
    EXPECT_EQ(use.offered, 20'000'000'001);
    EXPECT_EQ(use.offered_bytes, std::numeric_limits<std::int64_t>::max());
    EXPECT_GE(use.used_bytes, 0);
    EXPECT_EQ(plan.use_until(10'000'000'000).used, 1);
  }
}

TEST(DeliveryPlan, CountsRowsThatHaveBeenSent) {
  const Rows rows = even_rows(10, 100);
  DeliveryPlan plan(view(rows), {});
  expect_use(plan.use_until(0), 1, 0, 1);  // the row at 0 passes an empty queue
  planned(plan, 15, 3000);                     // rows at 20 and 30
  expect_use(plan.use_until(15), 2, 0, 2);
  expect_use(plan.use_until(20), 3, 1, 2);  // it is being sent
  expect_use(plan.use_until(30), 4, 2, 2);
  planned(plan, 65, 1500);  // the row at 70
  expect_use(plan.use_until(70), 8, 3, 5);
  expect_use(plan.use_until(90), 10, 3, 7);
  expect_use(plan.use_until(5000), 10, 3, 7);
}

}  // namespace
}  // namespace clift
