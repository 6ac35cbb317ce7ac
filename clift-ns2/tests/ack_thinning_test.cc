// ACK filtering and decimation against slow twins that look through all that has arrived, and examples by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/ack_thinning.h"
#include "tests/rows.h"

namespace clift {
namespace {

struct Ack {
  int number;
  AckView view;
  Nanoseconds time_ns;
};

Ack plain(int number, std::int64_t acknowledged, Nanoseconds time_ns = 0, std::int64_t flow = 0) {
  AckView view;
  view.flow = flow;
  view.acknowledged = acknowledged;
  view.size_bytes = 52;
  view.is_plain = true;
  return {number, view, time_ns};
}

Ack with_sack(int number, std::int64_t acknowledged, Nanoseconds time_ns = 0) {
  Ack ack = plain(number, acknowledged, time_ns);
  ack.view.is_plain = false;
  ack.view.size_bytes = 64;
  return ack;
}

// Acknowledgements of a few flows with holes, duplicates and changes of ECN's flags.
std::vector<Ack> random_acks(Random& random, int count) {
  std::vector<Ack> acks;
  std::int64_t acknowledged[3] = {};
  Nanoseconds now = 0;
  for (int number = 0; number < count; ++number) {
    if (chance(random, 0.7)) now += draw(random, 0, 10);
    const std::int64_t flow = draw(random, 0, 2);
    acknowledged[flow] += draw(random, 0, 2);
    Ack ack = plain(number, acknowledged[flow], now, flow);
    if (chance(random, 0.2)) ack = {number, with_sack(0, acknowledged[flow]).view, now};
    ack.view.flow = flow;
    ack.view.flags = chance(random, 0.1) ? 1 : 0;
    acks.push_back(ack);
  }
  return acks;
}

// Whether an ACK may go or take a place, by a look at all packets before it.
bool may_go(const std::vector<Ack>& acks, int number) {
  const AckView& own = acks[static_cast<std::size_t>(number)].view;
  return own.is_plain && std::all_of(acks.begin(), acks.begin() + number, [&](const Ack& other) {
           return other.view.flow != own.flow || other.view.acknowledged < own.acknowledged;
         });
}

bool stands_for(const std::vector<Ack>& acks, int newer, int older) {
  const AckView &a = acks[static_cast<std::size_t>(newer)].view, &b = acks[static_cast<std::size_t>(older)].view;
  return a.flow == b.flow && may_go(acks, newer) && may_go(acks, older) && a.flags == b.flags &&
         a.size_bytes == b.size_bytes;
}

// A queue of places, each with the number of its packet; some leave between the arrivals. The first one is being sent.
void compare_filters(Random& random) {
  const std::vector<Ack> acks = random_acks(random, 60);
  AckFilter<int> filter;
  std::vector<std::pair<int, int>> queue;  // name of the place, packet
  std::vector<int> slow_queue;
  int places = 0;
  for (const Ack& ack : acks) {
    for (std::int64_t gone = draw(random, 0, 1); gone > 0 && !queue.empty(); --gone) {
      queue.erase(queue.begin());
      slow_queue.erase(slow_queue.begin());
    }
    const auto own = std::find_if(slow_queue.rbegin(), slow_queue.rend(), [&](int number) {
      return acks[static_cast<std::size_t>(number)].view.flow == ack.view.flow;
    });
    const bool waits = own != slow_queue.rend() && own + 1 != slow_queue.rend();
    if (waits && stands_for(acks, ack.number, *own)) {
      *own = ack.number;
    } else {
      slow_queue.push_back(ack.number);
    }
    auto place = filter.place_for(ack.view);
    const auto found = std::find_if(queue.begin(), queue.end(), [&](auto& one) { return place && one.first == *place; });
    if (found != queue.end() && found != queue.begin()) {
      found->second = ack.number;
    } else {
      place = places++;
      queue.emplace_back(*place, ack.number);
    }
    filter.joined(ack.view, *place);
    std::vector<int> held;
    for (const auto& [name, number] : queue) held.push_back(number);
    ASSERT_EQ(held, slow_queue);
  }
}

TEST(AckFilter, AgreesWithItsSlowTwin) {
  Random random(5);
  for (int course = 0; course < 1000 && !testing::Test::HasFailure(); ++course) {
    SCOPED_TRACE(testing::Message() << "course " << course << " of seed 5");
    compare_filters(random);
  }
}

TEST(AckFilter, KeepsSelectiveAndDuplicateAcknowledgements) {
  AckFilter<int> filter;
  const auto place = [&](const Ack& ack) {
    const auto taken = filter.place_for(ack.view);
    filter.joined(ack.view, taken.value_or(ack.number));
    return taken.value_or(-1);
  };
  EXPECT_EQ(place(plain(0, 10)), -1);
  EXPECT_EQ(place(plain(1, 12)), 0);       // stands for the first
  EXPECT_EQ(place(with_sack(2, 12)), -1);  // joins behind it
  EXPECT_EQ(place(plain(3, 14)), -1);      // must not overtake the SACK block
  EXPECT_EQ(place(plain(4, 14)), -1);      // a duplicate, or a new window
  EXPECT_EQ(place(plain(5, 16)), -1);      // the duplicate stays
  EXPECT_EQ(place(plain(6, 18)), 5);
  EXPECT_EQ(place(plain(7, 1, 0, 1)), -1);  // another flow
}

struct Spaced {
  std::vector<std::pair<int, Nanoseconds>> passed;
  std::vector<int> removed;
};

Spaced spaced(const std::vector<Ack>& acks, Nanoseconds interval_ns) {
  AckSpacing<int> spacing(interval_ns);
  Spaced found;
  const auto take = [&] {
    for (const auto& one : spacing.take_passed()) found.passed.emplace_back(one.packet, one.time_ns);
  };
  for (const Ack& ack : acks) {
    spacing.release(ack.time_ns);
    if (const auto replaced = spacing.arrive(ack.time_ns, ack.view, ack.number)) found.removed.push_back(*replaced);
    take();
  }
  spacing.release(never - 1);
  take();
  EXPECT_EQ(spacing.next_ns(), never);
  return found;
}

// The same by steps of one nanosecond.
Spaced slowly_spaced(const std::vector<Ack>& acks, Nanoseconds interval_ns) {
  Spaced found;
  std::vector<int> held(3, -1);
  std::vector<Nanoseconds> next(3, 0);
  const auto pass_held = [&](std::size_t flow, Nanoseconds now) {
    if (held[flow] < 0) return;
    found.passed.emplace_back(held[flow], now);
    next[flow] = now + interval_ns;
    held[flow] = -1;
  };
  auto arriving = acks.begin();
  for (Nanoseconds now = 0; now <= acks.back().time_ns + interval_ns; ++now) {
    for (std::size_t flow = 0; flow < 3; ++flow) {
      if (next[flow] <= now) pass_held(flow, now);
    }
    for (; arriving != acks.end() && arriving->time_ns == now; ++arriving) {
      const auto flow = static_cast<std::size_t>(arriving->view.flow);
      const bool may_replace = held[flow] >= 0 && stands_for(acks, arriving->number, held[flow]);
      if (may_replace) {
        found.removed.push_back(held[flow]);
        held[flow] = arriving->number;
        continue;
      }
      pass_held(flow, now);
      if (may_go(acks, arriving->number) && now < next[flow]) {
        held[flow] = arriving->number;
        continue;
      }
      if (may_go(acks, arriving->number)) next[flow] = now + interval_ns;
      found.passed.emplace_back(arriving->number, now);
    }
  }
  return found;
}

TEST(AckSpacing, AgreesWithItsSlowTwin) {
  Random random(6);
  std::size_t removed = 0;
  for (int course = 0; course < 1000; ++course) {
    SCOPED_TRACE(testing::Message() << "course " << course << " of seed 6");
    const std::vector<Ack> acks = random_acks(random, 60);
    const Nanoseconds interval_ns = draw(random, 1, 40);
    const Spaced found = spaced(acks, interval_ns), expected = slowly_spaced(acks, interval_ns);
    ASSERT_EQ(found.passed, expected.passed);
    ASSERT_EQ(found.removed, expected.removed);
    removed += found.removed.size();
  }
  EXPECT_GT(removed, 1000U);
}

TEST(AckSpacing, LetsOneAcknowledgementPassInAnInterval) {
  // One ACK per 10 ns, an interval of 40: the first at once, then the newest of each interval, the last one too.
  std::vector<Ack> acks;
  for (int i = 0; i < 10; ++i) acks.push_back(plain(i, i + 1, 10 * i));
  const Spaced found = spaced(acks, 40);
  EXPECT_EQ(found.passed, (std::vector<std::pair<int, Nanoseconds>>{{0, 0}, {3, 40}, {7, 80}, {9, 120}}));
  EXPECT_EQ(found.removed, (std::vector<int>{1, 2, 4, 5, 6, 8}));
}

TEST(AckSpacing, LetsSelectiveAcknowledgementsPassAtOnceBehindTheHeldOne) {
  const Spaced found = spaced({plain(0, 1, 0), plain(1, 2, 5), with_sack(2, 2, 7), with_sack(3, 2, 8), plain(4, 9, 9)}, 100);
  EXPECT_EQ(found.passed, (std::vector<std::pair<int, Nanoseconds>>{{0, 0}, {1, 7}, {2, 7}, {3, 8}, {4, 107}}));
  EXPECT_TRUE(found.removed.empty());
}

}  // namespace
}  // namespace clift
