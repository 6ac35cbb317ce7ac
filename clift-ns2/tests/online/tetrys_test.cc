// Examples worked by hand, and random traffic beside a slot-by-slot twin. Slots stand 10 ns apart, are decoded after
// 3 ns, and carry 100 bytes; the round trip takes 20 ns.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/online/link_layer.h"
#include "tests/online/driver.h"
#include "tests/online/slow_window.h"
#include "tests/rows.h"

namespace clift {
namespace {

LinkLayerOptions tetrys(std::int64_t window, std::int64_t interval, Nanoseconds rtt_ns = 20) {
  LinkLayerOptions options;
  options.framing = Framing::stream;
  options.sliding_window = SlidingWindowOptions{window, interval, true};
  options.rtt_ns = rtt_ns;
  return options;
}

struct Fates {
  Times times;
  std::int64_t repairs;
  std::int64_t stalled;

  bool operator==(const Fates& other) const {
    return times == other.times && repairs == other.repairs && stalled == other.stalled;
  }
};

std::ostream& operator<<(std::ostream& out, const Fates& outcome) {
  for (const auto& [packet, time_ns] : outcome.times) out << packet << ':' << time_ns << ' ';
  return out << "repairs " << outcome.repairs << ", stalled " << outcome.stalled;
}

Fates outcome_of(const LinkLayerOptions& options, const std::vector<PhyRow>& rows, const std::vector<Offer>& offers) {
  TraceSlots slots(view(rows), 100);
  const auto layer = make_link_layer(options, slots);
  const Played played = play(*layer, offers);
  return {times(played), layer->units().repair, layer->units().stalled};
}

TEST(Tetrys, RecoversALonePacketWithTheEarlyRepairUnit) {
  const Fates outcome = outcome_of(tetrys(8, 4), even_slots(20, {0}), {{0, 100}});
  EXPECT_EQ(outcome, (Fates{{{0, 13}}, 1, 0}));
}

// Slots 0 and 1 are erased, which the receiver knows at 0 and 10 and the sender at 20 and 30: one unit is missing, and
// no repair unit is under way from 30 on.
TEST(Tetrys, RecoversALonePacketByFeedback) {
  EXPECT_EQ(outcome_of(tetrys(8, 4), even_slots(20, {0, 1}), {{0, 100}}), (Fates{{{0, 33}}, 2, 0}));
  // That of slot 3 is erased, too, which the sender knows at 50.
  EXPECT_EQ(outcome_of(tetrys(8, 4), even_slots(20, {0, 1, 3}), {{0, 100}}), (Fates{{{0, 53}}, 3, 0}));
  auto options = tetrys(8, 4);
  options.detection_delay_ns = 15;
  EXPECT_EQ(outcome_of(options, even_slots(20, {0, 1}), {{0, 100}}), (Fates{{{0, 53}}, 2, 0}));
}

// W = 2: the sender knows at 43 that slot 0 has arrived, so that slots 2 to 4 stall. The early repair unit in slot 6
// covers s2.
TEST(Tetrys, StallsWhileTheWindowIsFull) {
  EXPECT_EQ(outcome_of(tetrys(2, 5, 40), even_slots(20), one_unit_packets(3)), (Fates{{{0, 3}, {1, 13}, {2, 53}}, 1, 3}));
  // Slots 2 to 9 stall; then the trace ends.
  EXPECT_EQ(outcome_of(tetrys(2, 5, 400), even_slots(10), one_unit_packets(3)), (Fates{{{0, 3}, {1, 13}}, 0, 8}));
}

TEST(Tetrys, LeavesOutARepairUnitWhenNothingIsToBeRepaired) {
  // Without a round trip the sender knows of each arrival before the next slot.
  EXPECT_EQ(outcome_of(tetrys(4, 1, 0), even_slots(20), one_unit_packets(4)),
            (Fates{{{0, 3}, {1, 13}, {2, 23}, {3, 33}}, 0, 0}));
}

TEST(Tetrys, GoesOnWhereEveryUnitIsErased) {
  std::vector<std::int64_t> all(1000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  EXPECT_EQ(outcome_of(tetrys(4, 2), even_slots(1000, all), one_unit_packets(10)).times, Times());
}

// Slot by slot: the sender knows all events until one round trip before. The receiver has no window.
Fates slow_outcome(const LinkLayerOptions& options, const std::vector<PhyRow>& rows,
                     const std::vector<Offer>& offers) {
  const auto [window, interval, feedback] = *options.sliding_window;
  std::vector<std::size_t> queue;  // packet of each unit
  for (std::size_t packet = 0; packet < offers.size(); ++packet) {
    for (std::int64_t left = offers[packet].size_bytes; left > 0; left -= 100) queue.push_back(packet);
  }
  struct Event {
    Nanoseconds time_ns;
    std::size_t slot;
    bool erased;
    std::int64_t repair, first, newest;

    bool operator<(const Event& other) const {
      return std::pair(time_ns, slot) < std::pair(other.time_ns, other.slot);
    }
  };
  std::set<Event> events;
  SlowWindow slow(std::numeric_limits<std::int64_t>::max() / 4);
  std::map<std::int64_t, Nanoseconds> known;
  std::set<std::int64_t> erased;  // and unknown
  std::int64_t units = 0, repairs = 0, count = 0, under_way = 0, stalled = 0;
  const auto pass = [&](Nanoseconds until_ns) {
    for (; !events.empty() && events.begin()->time_ns <= until_ns; events.erase(events.begin())) {
      const Event& event = *events.begin();
      under_way -= event.repair >= 0;
      if (event.erased) {
        if (event.repair < 0) erased.insert(event.newest);
      } else {
        event.repair >= 0 ? slow.take_repair(event.repair, event.first, event.newest) : slow.take_source(event.newest);
      }
      for (const std::int64_t unit : slow.known) {
        known.emplace(unit, event.time_ns);
        erased.erase(unit);
      }
    }
  };
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    const auto [tx_ns, decode_ns] = rows[slot];
    pass(tx_ns - options.rtt_ns);
    const std::int64_t first = slow.first_unknown();
    const bool waits = static_cast<std::size_t>(units) < queue.size() &&
                       offers[queue[static_cast<std::size_t>(units)]].time_ns <= tx_ns;
    bool is_repair = false;
    if (static_cast<std::int64_t>(erased.size()) - slow.rank() > under_way) {
      is_repair = true;
    } else if (count >= interval || (!waits && count > 0)) {
      is_repair = first < units;
      if (is_repair || count >= interval) count = 0;
    }
    if (!is_repair && !waits) continue;
    if (!is_repair && units - first >= window) {
      ++stalled;
      continue;
    }
    if (is_repair) {
      ++under_way;
    } else {
      ++count;
      ++units;
    }
    const bool is_erased = decode_ns == 0;
    events.insert({tx_ns + (is_erased ? options.detection_delay_ns : decode_ns), slot, is_erased,
                   is_repair ? repairs++ : -1, first, units - 1});
  }
  pass(never);
  Fates outcome{{}, repairs, stalled};
  std::set<std::size_t> open;
  for (std::size_t unit = 0; unit < queue.size(); ++unit) {
    const auto packet = static_cast<std::int64_t>(queue[unit]);
    const auto found = known.find(static_cast<std::int64_t>(unit));
    if (found == known.end()) {
      open.insert(queue[unit]);
    } else {
      outcome.times[packet] = std::max(outcome.times[packet], found->second);
    }
  }
  for (const std::size_t packet : open) outcome.times.erase(static_cast<std::int64_t>(packet));
  return outcome;
}

TEST(Tetrys, TakesTheSlotsAndTimesOfItsTwin) {
  Random random(7);
  std::int64_t repairs = 0, stalled = 0, released = 0;
  for (int trial = 0; trial < repeats(8); ++trial) {
    SCOPED_TRACE(trial);
    LinkLayerOptions options = tetrys(draw(random, 1, 12), draw(random, 1, 6), draw(random, 0, 1) * draw(random, 0, 200));
    options.detection_delay_ns = draw(random, 0, 1) * draw(random, 0, 60);
    const int slots = chance(random, 0.3) ? 150 : 2000;
    const auto rows = random_slots(random, slots, 0.05 * static_cast<double>(draw(random, 0, 10)), 1, draw(random, 1, 120));
    const std::vector<Offer> offers = random_offers(random);
    const Fates outcome = outcome_of(options, rows, offers);
    ASSERT_EQ(outcome, slow_outcome(options, rows, offers));
    released += static_cast<std::int64_t>(outcome.times.size());
    repairs += outcome.repairs;
    stalled += outcome.stalled;
  }
  EXPECT_GT(released, 200);
  EXPECT_GT(repairs, 100);
  EXPECT_GT(stalled, 100);
}

}  // namespace
}  // namespace clift
