// Examples worked by hand, and random traffic beside a slot-by-slot twin. Slots stand 10 ns apart, are decoded after
// 3 ns, and carry 100 bytes.
#include <gtest/gtest.h>

#include "core/online/link_layer.h"
#include "tests/online/driver.h"
#include "tests/online/slow_window.h"
#include "tests/rows.h"

namespace clift {
namespace {

LinkLayerOptions sliding(std::int64_t window, std::int64_t interval) {
  LinkLayerOptions options;
  options.framing = Framing::stream;
  options.sliding_window = SlidingWindowOptions{window, interval};
  return options;
}

// With W = 4 and k = 2, slots 0 to 5 carry s0, s1, r0, s2, s3, r1.
TEST(SlidingWindow, RecoversAUnitWithTheNextRepairUnitThatArrives) {
  const Played played = play_trace(sliding(4, 2), even_slots(10, {1, 2}), one_unit_packets(4));
  EXPECT_EQ(times(played), (Times{{0, 3}, {1, 53}, {2, 33}, {3, 43}}));
  EXPECT_EQ(played.departed.at(2), 30);
}

TEST(SlidingWindow, RecoversOneUnitAfterTheOther) {
  const Played played = play_trace(sliding(4, 2), even_slots(10, {1, 3}), one_unit_packets(4));
  EXPECT_EQ(times(played), (Times{{0, 3}, {1, 23}, {2, 53}, {3, 43}}));
}

TEST(SlidingWindow, RecoversNothingFromTwoEquationsInFourUnknowns) {
  const Played played = play_trace(sliding(4, 2), even_slots(10, {0, 1, 3, 4}), one_unit_packets(4));
  EXPECT_EQ(times(played), Times{});
}

TEST(SlidingWindow, LosesAUnitWhenTheWindowPassesIt) {
  // W = 1, k = 1: s2 in slot 4 moves the window to s1 and s2.
  const Played played = play_trace(sliding(1, 1), even_slots(10, {0, 1}), one_unit_packets(3));
  EXPECT_EQ(times(played), (Times{{0, -43}, {1, 23}, {2, 43}}));
}

TEST(SlidingWindow, DeliversAUnitThatTheWindowHasOvertaken) {
  auto rows = even_slots(10, {1});
  rows[0].decode_time_ns = 95;
  EXPECT_EQ(times(play_trace(sliding(1, 1), rows, one_unit_packets(3))), (Times{{0, 95}, {1, 23}, {2, 43}}));
  // The repair unit in slot 1 recovers it before it arrives.
  rows[1].decode_time_ns = 3;
  EXPECT_EQ(times(play_trace(sliding(1, 1), rows, one_unit_packets(3))), (Times{{0, 13}, {1, 23}, {2, 43}}));
}

TEST(SlidingWindow, ProtectsTheEndOfABurstAtOnce) {
  // One source unit of four: the repair unit follows in the next slot, where no packet waits.
  const Played played = play_trace(sliding(4, 4), even_slots(10, {0}), {{0, 100}, {40, 100}});
  EXPECT_EQ(times(played), (Times{{0, 13}, {1, 43}}));
  // A packet that comes in time for the next slot takes it, and the repair unit covers both.
  EXPECT_EQ(times(play_trace(sliding(4, 4), even_slots(10, {0}), {{0, 100}, {10, 100}})), (Times{{0, 23}, {1, 13}}));
}

TEST(SlidingWindow, SendsNoSecondRepairUnitForTheSameUnits) {
  const auto rows = even_slots(40, {0, 1});
  TraceSlots slots(view(rows), 100);
  const auto layer = make_link_layer(sliding(4, 4), slots);
  // The first packet and its repair unit are erased; the repair unit of the second packet covers the first, too.
  const Played played = play(*layer, {{0, 100}, {200, 100}});
  EXPECT_EQ(times(played), (Times{{0, 213}, {1, 203}}));
  EXPECT_EQ(layer->units().data, 2);
  EXPECT_EQ(layer->units().repair, 2);
}

TEST(SlidingWindow, DecodesArrivalsAfterTheLastSlot) {
  const Played played = play_trace(sliding(2, 2), even_slots(3, {1}), one_unit_packets(3));
  EXPECT_EQ(times(played), (Times{{0, 3}, {1, 23}}));
  EXPECT_TRUE(played.stopped);
}

TEST(SlidingWindow, ReleasesPacketsInOrder) {
  auto options = sliding(4, 2);
  options.resequencer.in_order = true;
  const Played played = play_trace(options, even_slots(10, {1, 2}), one_unit_packets(4));
  EXPECT_EQ(times(played), (Times{{0, 3}, {1, 53}, {2, 53}, {3, 53}}));
}

// Each slot takes what the definition says; then all arrivals are decoded.
Times slow_times(std::int64_t window, std::int64_t interval, const std::vector<PhyRow>& rows,
                 const std::vector<Offer>& offers) {
  std::vector<std::pair<std::size_t, bool>> queue;  // packet of each unit, and whether it is its last
  for (std::size_t packet = 0; packet < offers.size(); ++packet) {
    for (std::int64_t left = offers[packet].size_bytes; left > 0; left -= 100) queue.emplace_back(packet, left <= 100);
  }
  struct Arrival {
    Nanoseconds time_ns;
    std::int64_t repair, newest;
  };
  std::vector<Arrival> arrivals;
  std::vector<std::pair<Nanoseconds, bool>> units;  // own arrival, erased
  std::int64_t repairs = 0, since = 0;
  for (const PhyRow& row : rows) {
    const bool waits = units.size() < queue.size() && offers[queue[units.size()].first].time_ns <= row.tx_time_ns;
    const bool is_repair = since == interval || (!waits && since > 0);
    if (!is_repair && !waits) continue;
    const bool erased = row.decode_time_ns == 0;
    const Nanoseconds time_ns = row.tx_time_ns + row.decode_time_ns;
    if (!is_repair) units.emplace_back(time_ns, erased);
    since = is_repair ? 0 : since + 1;
    const std::int64_t number = is_repair ? repairs++ : -1;
    if (!erased) arrivals.push_back({time_ns, number, static_cast<std::int64_t>(units.size()) - 1});
  }
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const Arrival& one, const Arrival& other) { return one.time_ns < other.time_ns; });
  SlowWindow slow(window);
  std::map<std::int64_t, Nanoseconds> known, left;
  for (const auto& [time_ns, repair, newest] : arrivals) {
    repair < 0 ? slow.take_source(newest) : slow.take_repair(repair, std::max<std::int64_t>(0, newest - window + 1), newest);
    for (const std::int64_t unit : slow.known) known.emplace(unit, time_ns);
    for (const std::int64_t unit : slow.left) left.emplace(unit, time_ns);
  }
  Times found;
  Nanoseconds settled_ns = 0;
  bool open = false, lost = false;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto unit = static_cast<std::int64_t>(i);
    const auto& [own_ns, erased] = units[i];
    if (known.count(unit) > 0) {
      settled_ns = std::max(settled_ns, erased ? known[unit] : std::min(known[unit], own_ns));
    } else if (!erased) {
      settled_ns = std::max(settled_ns, own_ns);
    } else if (left.count(unit) > 0) {
      settled_ns = std::max(settled_ns, left[unit]);
      lost = true;
    } else {
      open = true;
    }
    const auto& [packet, is_last] = queue[i];
    if (!is_last) continue;
    if (!open) found[static_cast<std::int64_t>(packet)] = lost ? -settled_ns : settled_ns;
    settled_ns = 0;
    open = lost = false;
  }
  return found;
}

TEST(SlidingWindow, TakesTheSlotsAndTimesOfItsTwin) {
  Random random(5);
  std::size_t lost = 0, released = 0;
  for (int trial = 0; trial < 30; ++trial) {
    SCOPED_TRACE(trial);
    const std::int64_t window = draw(random, 1, 6), interval = draw(random, 1, 5);
    const int slots = chance(random, 0.3) ? 150 : 2000;
    const auto rows = random_slots(random, slots, 0.05 * static_cast<double>(draw(random, 1, 8)), 1, draw(random, 1, 120));
    const std::vector<Offer> offers = random_offers(random);
    const Played played = play_trace(sliding(window, interval), rows, offers);
    const Times found = times(played);
    ASSERT_EQ(found, slow_times(window, interval, rows, offers));
    released += found.size();
    lost += static_cast<std::size_t>(
        std::count_if(found.begin(), found.end(), [](const auto& one) { return one.second < 0; }));
  }
  EXPECT_GT(lost, 50U);
  EXPECT_GT(released - lost, 400U);
}

}  // namespace
}  // namespace clift
