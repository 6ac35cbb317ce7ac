// The emulator's link against the delivery plan's slow twin and a list of the queued packets, on the test's own clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "emulate/link.h"
#include "tests/milliseconds.h"
#include "tests/rows.h"
#include "tests/slow_plan.h"

namespace clift {
namespace {

constexpr Nanoseconds propagation_ns = 1000;

using NumberedLink = Link<std::int64_t>;

NumberedLink::Packet packet_number(std::int64_t number, std::int64_t size_bytes) {
  NumberedLink::Packet packet;
  packet.payload = number;
  packet.record.size_bytes = static_cast<std::uint32_t>(size_bytes);
  packet.record.uid = number;
  return packet;
}

QueueOptions limited_to(std::int64_t packets) {
  QueueOptions options;
  options.limits.packets = packets;
  return options;
}

// Whether the queue drops the packet that it is given.
bool drops(NumberedLink& link, Nanoseconds now_ns, NumberedLink::Packet packet) {
  const std::int64_t number = packet.payload;
  link.take(now_ns, std::move(packet));
  const auto found = link.queue_event();
  if (!found) return false;
  EXPECT_EQ(found->packet.payload, number);
  EXPECT_EQ(found->packet.record.uid, number);
  EXPECT_EQ(found->event, schema::PacketEvent::queue_dropped);
  EXPECT_EQ(found->time_ns, now_ns);
  EXPECT_FALSE(link.queue_event().has_value());
  return true;
}

struct Expected {
  std::int64_t number;
  Fate fate;
  Nanoseconds due_ns;
};

// One trace, one sequence of packets, looked at whenever the caller happens to be awake.
class Comparison {
 public:
  explicit Comparison(std::uint64_t seed) : random_(seed) {}

  void run() {
    const Rows rows = random_rows(random_, draw(random_, 2, 60), 20, 300);
    PlanOptions options;
    options.lldu_bytes = draw(random_, 1, 20);
    options.loop = chance(random_, 0.5);
    options.in_order = chance(random_, 0.5);
    if (chance(random_, 0.5)) options.hold_ns = draw(random_, 1, 200);
    options.offset_ns = draw(random_, 0, rows.back().tx_time_ns);
    const std::int64_t limit = draw(random_, 1, 8);
    NumberedLink link(DeliveryPlan(view(rows), options), limited_to(limit), propagation_ns);
    SlowPlan twin(rows, {}, options, 20'000);

    std::vector<Nanoseconds> departures;  // of all that the queue took; `never`: not at all
    std::vector<Expected> expected;
    Nanoseconds now = 0;
    for (std::int64_t number = 0; number < 40; ++number) {
      if (chance(random_, 0.5)) now += draw(random_, 0, 60);
      const std::int64_t size = draw(random_, 1, 40);
      const auto queued = std::count_if(departures.begin(), departures.end(), [&](auto time) { return time > now; });
      const bool dropped = drops(link, now, packet_number(number, size));
      ASSERT_EQ(dropped, queued >= limit);
      if (dropped) {
        ++overflowed;
        continue;
      }
      const auto planned = twin.plan(now, size);
      departures.push_back(planned ? planned->departure_ns : never);
      if (planned) expected.push_back({number, planned->fate, planned->arrival_ns + propagation_ns});
      stopped += !planned;
      EXPECT_EQ(link.stopped(), !planned);
      if (chance(random_, 0.3)) compare(link, expected, now);
      if (testing::Test::HasFailure()) return;
    }
    compare(link, expected, never - 1);
    EXPECT_EQ(link.next_due_ns(), never);
    const LinkCounts& counts = link.counts();
    EXPECT_EQ(counts.arrived, 40);
    const auto stuck = std::count(departures.begin(), departures.end(), never);
    EXPECT_EQ(counts.overflowed + counts.delivered + counts.lost + counts.unsettled + stuck, 40);
  }

  std::int64_t overflowed = 0, stopped = 0, lost = 0, unsettled = 0;

 private:
  // Everything that is due comes out once, in order of time, then of number; nothing else does.
  void compare(NumberedLink& link, std::vector<Expected>& expected, Nanoseconds now) {
    std::stable_sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.due_ns < b.due_ns; });
    auto next = expected.begin();
    for (; next != expected.end() && next->due_ns <= now; ++next) {
      EXPECT_EQ(link.next_due_ns(), next->due_ns);
      const auto outcome = link.outcome(now);
      ASSERT_TRUE(outcome.has_value());
      EXPECT_EQ(outcome->packet.record.uid, next->number);
      EXPECT_EQ(outcome->packet.payload, next->number);
      EXPECT_EQ(outcome->fate, next->fate);
      EXPECT_EQ(outcome->due_ns, next->due_ns);
      lost += next->fate == Fate::lost;
      unsettled += next->fate == Fate::unsettled;
    }
    EXPECT_FALSE(link.outcome(now).has_value());
    expected.erase(expected.begin(), next);
  }

  Random random_;
};

TEST(EmulatedLink, AgreesWithTheSlowPlan) {
  Comparison comparison(11);
  for (int trace = 0; trace < 1500; ++trace) {
    SCOPED_TRACE(testing::Message() << "trace " << trace << " of seed 11");
    comparison.run();
    if (HasFailure()) return;
  }
  // The comparison means something only where all of these happen.
  EXPECT_GT(comparison.overflowed, 100);
  EXPECT_GT(comparison.stopped, 100);
  EXPECT_GT(comparison.lost, 100);
  EXPECT_GT(comparison.unsettled, 100);
}

TEST(EmulatedLink, ServesAPlainLinkAtItsRate) {
  // 1000 bytes at 8 Mbit/s take 1 ms.
  NumberedLink link(RatePlan(8e6), limited_to(2), propagation_ns);
  EXPECT_FALSE(drops(link, 0, packet_number(0, 1000)));
  EXPECT_FALSE(drops(link, 0, packet_number(1, 500)));
  EXPECT_TRUE(drops(link, ms - 1, packet_number(2, 1000)));
  EXPECT_FALSE(drops(link, ms, packet_number(3, 1000)));
  EXPECT_FALSE(drops(link, 9 * ms, packet_number(4, 1000)));
  std::vector<Nanoseconds> due;
  while (const auto outcome = link.outcome(never)) due.push_back(outcome->due_ns - propagation_ns);
  EXPECT_EQ(due, (std::vector<Nanoseconds>{ms, ms + ms / 2, 2 * ms + ms / 2, 10 * ms}));
  EXPECT_FALSE(link.row_use(0).has_value());
}

// 1500 bytes take 1 ms. Packet 2 has waited 2 ms, the target, when the link pulls it at 2 ms: the one after the interval of
// 1 ms is marked or dropped, and in place of a dropped one goes the next.
TEST(EmulatedLink, MarksWhatIsEcnCapableAndDropsOthers) {
  QueueOptions queue;
  queue.discipline = DisciplineChoice::of("codel target 0.002 interval 0.001 mtu_bytes 0");
  for (const Ecn ecn : {Ecn::ect_0, Ecn::not_ect}) {
    NumberedLink link(RatePlan(12e6), queue, propagation_ns);
    for (std::int64_t number = 0; number < 6; ++number) {
      NumberedLink::Packet packet = packet_number(number, 1500);
      packet.ecn = ecn;
      link.take(0, packet);
    }
    for (const std::int64_t number : {0, 1, 2}) {
      const auto outcome = link.outcome(3 * ms + propagation_ns);
      ASSERT_TRUE(outcome.has_value());
      EXPECT_EQ(outcome->packet.payload, number);
      EXPECT_FALSE(outcome->is_marked);
    }
    const bool marks = ecn == Ecn::ect_0;
    EXPECT_EQ(link.counts().marked, marks);
    EXPECT_EQ(link.counts().aqm_dropped, !marks);
    const auto event = link.queue_event();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->event, marks ? schema::PacketEvent::marked : schema::PacketEvent::aqm_dropped);
    EXPECT_EQ(event->packet.record.uid, 3);
    EXPECT_EQ(event->time_ns, 3 * ms);
    const auto outcome = link.outcome(4 * ms + propagation_ns);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->packet.payload, marks ? 3 : 4);
    EXPECT_EQ(outcome->is_marked, marks);
  }
}

}  // namespace
}  // namespace clift
