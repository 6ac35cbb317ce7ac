// Slots of a trace with a length, against a list of all its repetitions.
#include "core/online/slots.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/online/driver.h"
#include "tests/rows.h"

namespace clift {
namespace {

TEST(TraceSlots, PlayOutagesAtBothEnds) {
  // Slots at 30 and 35 of 20 to 60: from an offset of 17 on, at 37 - 37 = 0, they come at 33, 38, 73, 78.
  const std::vector<PhyRow> rows = {{30, 1}, {35, 1}};
  TraceSlots slots(view(rows), 100, repeating(20, 40, 17));
  EXPECT_EQ(slots.next_tx_ns(0), 33);
  EXPECT_EQ(slots.use_until(22)->repeats, 0);
  EXPECT_EQ(slots.use_until(23)->repeats, 1);  // the repetition begins, 10 before its first slot
  EXPECT_EQ(slots.use_until(23)->offered, 0);
  EXPECT_EQ(slots.take(0).tx_ns, 33);
  EXPECT_EQ(slots.next_tx_ns(39), 73);
  EXPECT_EQ(slots.next_number(39), 2);
  EXPECT_EQ(slots.take(78).tx_ns, 78);
  EXPECT_EQ(slots.next_tx_ns(78), 113);
}

TEST(TraceSlots, EndWithTheirTraceIfItDoesNotRepeat) {
  const std::vector<PhyRow> rows = {{30, 1}};
  const Playback playback{20, 40, 5, false};
  TraceSlots slots(view(rows), 100, playback);
  EXPECT_EQ(slots.next_tx_ns(0), 5);
  EXPECT_EQ(slots.next_tx_ns(6), never);
  EXPECT_EQ(slots.use_until(1000)->repeats, 0);
}

TEST(TraceSlots, AreThoseOfEveryRepetition) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<PhyRow> rows;
    Nanoseconds tx_ns = draw(random, 0, 300);
    for (std::int64_t left = draw(random, 1, 20); left > 0; --left) {
      rows.push_back({tx_ns, draw(random, 0, 50)});
      tx_ns += chance(random, 0.8) ? 1 : draw(random, 1, 300);
    }
    Playback playback = repeating(draw(random, 0, rows.front().tx_time_ns));
    playback.length_ns = rows.back().tx_time_ns + 1 - playback.begin_ns + draw(random, 0, 300);
    playback.offset_ns = draw(random, 0, playback.length_ns - 1);
    std::vector<PhyRow> all;  // in simulated time
    for (Nanoseconds repetition = 0; repetition < 60; ++repetition) {
      for (const PhyRow& row : rows) {
        const Nanoseconds time_ns =
            row.tx_time_ns + repetition * playback.length_ns - playback.begin_ns - playback.offset_ns;
        if (time_ns >= 0) all.push_back({time_ns, row.decode_time_ns});
      }
    }
    TraceSlots slots(view(rows), 100, playback);
    std::size_t at = 0;
    Nanoseconds now_ns = 0;
    for (int taken = 0; taken < 20; ++taken) {
      now_ns += draw(random, 0, playback.length_ns);
      while (all[at].tx_time_ns < now_ns) ++at;
      ASSERT_EQ(slots.next_number(now_ns), static_cast<std::int64_t>(at));
      const Slot slot = slots.take(now_ns);
      ASSERT_EQ(slot.tx_ns, +all[at].tx_time_ns);
      ASSERT_EQ(slot.erased, all[at].decode_time_ns == 0);
      ++at;
      ASSERT_EQ(slots.use_until(slot.tx_ns)->offered, static_cast<std::int64_t>(at));
      ASSERT_EQ(slots.use_until(slot.tx_ns)->repeats, (slot.tx_ns + playback.offset_ns) / playback.length_ns);
    }
  }
}

}  // namespace
}  // namespace clift
