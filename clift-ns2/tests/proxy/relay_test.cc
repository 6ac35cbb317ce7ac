// Examples worked by hand, and random arrivals beside a twin that keeps every segment in sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/proxy/relay.h"
#include "tests/milliseconds.h"
#include "tests/rows.h"

namespace clift::proxy {
namespace {

Relay relay_of(std::int64_t capacity, Nanoseconds delay_ns = 0) { return Relay({capacity, delay_ns}); }

TEST(Relay, ReleasesWhatHasArrivedInOrder) {
  Relay relay = relay_of(10);
  EXPECT_EQ(relay.on_segment(0, 0, {}), Arrival::stored);
  EXPECT_EQ(relay.on_segment(0, 2, {}), Arrival::stored);
  EXPECT_EQ(relay.released(0), 1);
  EXPECT_EQ(relay.on_segment(5, 1, {}), Arrival::stored);
  EXPECT_EQ(relay.released(5), 3);
  EXPECT_EQ(relay.on_segment(6, 1, {}), Arrival::duplicate);
  EXPECT_EQ(relay.fill(), 3);
  EXPECT_EQ(relay.duplicates(), 1);
}

TEST(Relay, ReleasesAfterItsDelay) {
  // Segment 1 is missing until 7 ms: it and 2 are ready 3 ms later.
  Relay relay = relay_of(10, 3 * ms);
  relay.on_segment(1 * ms, 0, {});
  relay.on_segment(2 * ms, 2, {});
  EXPECT_EQ(relay.released(4 * ms - 1), 0);
  EXPECT_EQ(relay.next_release_ns(), 4 * ms);
  EXPECT_EQ(relay.released(4 * ms), 1);
  EXPECT_EQ(relay.next_release_ns(), never);
  relay.on_segment(7 * ms, 1, {});
  EXPECT_EQ(relay.next_release_ns(), 10 * ms);
  EXPECT_EQ(relay.released(10 * ms), 3);
}

TEST(Relay, RefusesWhatItHasNoRoomFor) {
  Relay relay = relay_of(4);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(relay.on_segment(0, i, {}), Arrival::stored);
  EXPECT_EQ(relay.window_end(), 4);
  EXPECT_EQ(relay.on_segment(0, 4, {}), Arrival::refused);
  relay.released(0);
  relay.on_forwarded(1);
  EXPECT_EQ(relay.window_end(), 5);
  EXPECT_EQ(relay.on_segment(0, 4, {}), Arrival::stored);
  EXPECT_EQ(relay.refused(), 1);
  EXPECT_EQ(relay.most_fill(), 4);
}

TEST(Relay, KeepsOriginsUntilTheFarEndHasTheSegments) {
  Relay relay = relay_of(4);
  relay.on_segment(10, 0, {3, 1});
  relay.on_segment(20, 1, {5, 2});
  relay.on_segment(30, 1, {25, 3});  // a copy: the first one counts
  relay.released(30);
  EXPECT_EQ(relay.origin(1).sent_ns, 5);
  EXPECT_EQ(relay.origin(1).transmission, 2);
  relay.on_forwarded(1);
  EXPECT_FALSE(relay.holds(0));
  EXPECT_TRUE(relay.holds(1));
}

TEST(Relay, IgnoresAcknowledgementsOfWhatWasNotSentOn) {
  Relay relay = relay_of(4, 5);
  relay.on_segment(0, 0, {});
  relay.on_forwarded(1);
  EXPECT_EQ(relay.una(), 0);
  relay.released(5);
  relay.on_forwarded(3);
  EXPECT_EQ(relay.una(), 1);
}

TEST(Relay, OwesAnUpdateWhenTheWindowHasDoubled) {
  Relay relay = relay_of(8);
  relay.tell();
  for (std::int64_t i = 0; i < 6; ++i) relay.on_segment(0, i, {});
  relay.released(0);
  relay.tell();
  EXPECT_FALSE(relay.owes_update());  // 2 are left, as was told
  relay.on_forwarded(1);
  EXPECT_FALSE(relay.owes_update());  // 3
  relay.on_forwarded(2);
  EXPECT_TRUE(relay.owes_update());   // 4
  relay.tell();
  EXPECT_FALSE(relay.owes_update());
}

TEST(Relay, OwesAnUpdateWhenAClosedWindowOpens) {
  Relay relay = relay_of(2);
  relay.on_segment(0, 0, {});
  relay.on_segment(0, 1, {});
  relay.released(0);
  relay.tell();
  EXPECT_FALSE(relay.owes_update());
  relay.on_forwarded(1);
  EXPECT_TRUE(relay.owes_update());
}

// Every segment in a set, and every number counted anew.
struct Twin {
  std::int64_t capacity;
  Nanoseconds delay_ns;
  std::set<std::int64_t> arrived{};
  std::vector<Nanoseconds> in_order_ns{};
  std::int64_t una = 0;

  Arrival on_segment(Nanoseconds now_ns, std::int64_t sequence) {
    if (arrived.count(sequence) != 0) return Arrival::duplicate;
    if (sequence >= una + capacity) return Arrival::refused;
    arrived.insert(sequence);
    while (arrived.count(static_cast<std::int64_t>(in_order_ns.size())) != 0) in_order_ns.push_back(now_ns);
    return Arrival::stored;
  }

  std::int64_t released(Nanoseconds now_ns) const {
    std::int64_t count = 0;
    for (const Nanoseconds time_ns : in_order_ns) count += time_ns + delay_ns <= now_ns;
    return count;
  }

  std::int64_t fill() const {
    std::int64_t count = 0;
    for (const std::int64_t sequence : arrived) count += sequence >= una;
    return count;
  }
};

TEST(Relay, AgreesWithItsTwin) {
  Random random(8);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    const std::int64_t capacity = draw(random, 2, 20);
    const Nanoseconds delay_ns = draw(random, 0, 2) * draw(random, 0, 10);
    Relay relay = relay_of(capacity, delay_ns);
    Twin twin{capacity, delay_ns};
    Nanoseconds now_ns = 0;
    std::int64_t window_end = 0;
    for (int step = 0; step < 300; ++step) {
      now_ns += draw(random, 0, 3);
      if (draw(random, 0, 2) > 0) {
        const std::int64_t sequence = std::max<std::int64_t>(0, relay.next() + draw(random, -3, capacity + 2));
        ASSERT_EQ(relay.on_segment(now_ns, sequence, {now_ns, 1}), twin.on_segment(now_ns, sequence));
      } else {
        const std::int64_t una = draw(random, relay.una(), relay.released(now_ns));
        relay.on_forwarded(una);
        twin.una = una;
      }
      ASSERT_EQ(relay.released(now_ns), twin.released(now_ns));
      ASSERT_EQ(relay.next(), static_cast<std::int64_t>(twin.in_order_ns.size()));
      ASSERT_EQ(relay.una(), twin.una);
      ASSERT_EQ(relay.fill(), twin.fill());
      ASSERT_LE(relay.fill(), capacity);
      ASSERT_LE(relay.released(now_ns), relay.next());
      ASSERT_GE(relay.window_end(), window_end);
      window_end = relay.window_end();
      ASSERT_GE(window_end, relay.next());
      ASSERT_EQ(relay.next_release_ns() == never, relay.released(now_ns) == relay.next());
    }
  }
}

}  // namespace
}  // namespace clift::proxy
