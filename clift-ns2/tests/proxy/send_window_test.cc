// Windows that close, open, and whose opening nobody hears of.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "core/proxy/relay.h"
#include "core/proxy/send_window.h"
#include "tests/rows.h"

namespace clift::proxy {
namespace {

constexpr Nanoseconds s = 1'000'000'000;

TEST(SendWindow, GivesWhatThereIsAndWhatThereIsRoomFor) {
  SendWindow window(4);
  window.offer(0, 3);
  EXPECT_EQ(window.allowed(), 3);
  window.offer(0, 10);
  EXPECT_EQ(window.allowed(), 4);
  window.on_ack(1, 2, 6);
  EXPECT_EQ(window.allowed(), 6);
}

TEST(SendWindow, NeverGoesBack) {
  SendWindow window(4);
  window.offer(0, 100);
  EXPECT_TRUE(window.on_ack(1, 3, 9));
  EXPECT_FALSE(window.on_ack(2, 2, 5));
  EXPECT_EQ(window.allowed(), 9);
  EXPECT_EQ(window.una(), 3);
}

TEST(SendWindow, CountsTheTimeForWhichItHolds) {
  SendWindow window(4);
  window.offer(0, 100);
  window.on_sent(10, 4);   // held from here
  EXPECT_EQ(window.held_ns(15), 5);
  window.on_ack(30, 1, 5);
  EXPECT_EQ(window.held_ns(90), 20);
  window.on_sent(95, 5);
  EXPECT_EQ(window.held_ns(100), 25);
}

TEST(SendWindow, HoldsNothingWithoutData) {
  SendWindow window(4);
  window.offer(0, 4);
  window.on_sent(10, 4);
  EXPECT_FALSE(window.is_held());
  EXPECT_EQ(window.next_probe_ns(), never);
}

TEST(SendWindow, ProbesAWindowThatStaysClosed) {
  SendWindow window(4, {1 * s, 5 * s});
  window.offer(0, 100);
  window.on_sent(0, 4);
  EXPECT_EQ(window.next_probe_ns(), never);  // acknowledgements are to come
  window.on_ack(2 * s, 4, 4);
  EXPECT_EQ(window.next_probe_ns(), 3 * s);
  window.on_probe(3 * s);
  EXPECT_EQ(window.next_probe_ns(), 5 * s);
  window.on_ack(4 * s, 4, 4);                // an answer without news
  EXPECT_EQ(window.next_probe_ns(), 5 * s);
  window.on_probe(5 * s);
  EXPECT_EQ(window.next_probe_ns(), 9 * s);
  window.on_probe(9 * s);
  EXPECT_EQ(window.next_probe_ns(), 14 * s);  // not 8 s later
  window.on_ack(10 * s, 4, 5);
  EXPECT_EQ(window.next_probe_ns(), never);
  EXPECT_EQ(window.probes(), 3);
}

// A window and a relay with a path between them on which acknowledgements and updates are lost: all data arrive, in
// order and once, the buffer never holds more than it may, and in the end no probe is due.
TEST(SendWindow, NeverWaitsForEver) {
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    const std::int64_t capacity = draw(random, 2, 9), total = 200, loss = draw(random, 0, 6);
    Relay relay({capacity, draw(random, 0, 3) * s / 10});
    SendWindow window(capacity, {1 * s, 8 * s});
    struct Ack {
      Nanoseconds time_ns;
      std::int64_t ack, end;
    };
    std::deque<Ack> acks;
    std::int64_t sent = 0, forwarded = 0;
    const auto answer = [&](Nanoseconds now_ns) {
      relay.tell();
      if (draw(random, 0, 9) >= loss) acks.push_back({now_ns + s / 20, relay.next(), relay.window_end()});
    };
    window.offer(0, total);
    Nanoseconds now_ns = 0;
    for (; forwarded < total; now_ns += s / 10) {
      ASSERT_LT(now_ns, 5000 * s);
      while (!acks.empty() && acks.front().time_ns <= now_ns) {
        window.on_ack(now_ns, acks.front().ack, acks.front().end);
        acks.pop_front();
      }
      for (; sent < window.allowed(); ++sent) {
        // Acknowledgements may be lost, but data are sent again until they are there: here at once.
        ASSERT_EQ(relay.on_segment(now_ns, sent, {}), Arrival::stored);
        answer(now_ns);
      }
      window.on_sent(now_ns, sent);
      // A lost acknowledgement of data is repeated by TCP's own timer.
      if (window.una() < sent && acks.empty()) acks.push_back({now_ns, relay.next(), relay.window_end()});
      if (window.next_probe_ns() <= now_ns) {
        window.on_probe(now_ns);
        answer(now_ns);
      }
      ASSERT_LE(relay.fill(), capacity);
      if (draw(random, 0, 2) == 0) forwarded = std::min(relay.released(now_ns), forwarded + draw(random, 1, 4));
      relay.on_forwarded(forwarded);
      if (relay.owes_update()) answer(now_ns);
    }
    EXPECT_EQ(relay.next(), total);
    EXPECT_EQ(relay.refused(), 0);
    EXPECT_EQ(relay.duplicates(), 0);
    EXPECT_EQ(window.next_probe_ns(), never);
  }
}

}  // namespace
}  // namespace clift::proxy
