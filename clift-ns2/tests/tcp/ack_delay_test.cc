// Linux's rule of delayed ACKs, by hand: 16 quick ACKs, then every second packet or after 40 ms to 200 ms.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/tcp/receiver.h"
#include "tests/milliseconds.h"

namespace clift::tcp {
namespace {

// A receiver with an RTT of 100 ms; its 16 quick acknowledgements are over after packet 16, at `time_ns`.
struct DelayedAcks {
  DelayedAcks() {
    receiver.delay_acks(true);
    EXPECT_TRUE(acknowledges(0));
    time_ns = 100 * ms;
    for (int i = 1; i <= 16; ++i) EXPECT_TRUE(acknowledges(i)) << i;
  }

  bool acknowledges(std::int64_t sequence, bool pushed = false) {
    receiver.on_packet({sequence, time_ns, time_ns, pushed});
    return receiver.take_reply(time_ns) != nullptr;
  }

  // Lets the waiting reply go; returns the time that it has waited.
  Nanoseconds wait() {
    const Nanoseconds waited_ns = receiver.deadline_ns() - time_ns;
    time_ns = receiver.deadline_ns();
    EXPECT_NE(receiver.take_reply(time_ns), nullptr);
    return waited_ns;
  }

  Receiver receiver;
  Nanoseconds time_ns = 0;
};

TEST(AckDelay, AnswersEverySecondPacketAfterSixteen) {
  DelayedAcks f;
  for (int i = 17; i < 40; i += 2) {
    EXPECT_FALSE(f.acknowledges(i));
    EXPECT_TRUE(f.acknowledges(i + 1));
  }
}

TEST(AckDelay, EchoesTheTimeOfTheEarlierOfTwoPackets) {
  // RFC 7323, section 4.3.
  DelayedAcks f;
  EXPECT_FALSE(f.acknowledges(17));
  const Nanoseconds first_ns = f.time_ns;
  f.time_ns += 3 * ms;
  f.receiver.on_packet({18, f.time_ns, f.time_ns});
  EXPECT_EQ(f.receiver.take_reply(f.time_ns)->echo_ns, first_ns);
}

TEST(AckDelay, WaitsFortyMillisecondsAndTwiceAsLongAfterEachMiss) {
  // The ATO is 40 ms, and doubles at each timer; the RTT of 100 ms bounds the delay.
  DelayedAcks f;
  std::vector<Nanoseconds> waits;
  for (int i = 17; i < 21; ++i) {
    EXPECT_FALSE(f.acknowledges(i));
    waits.push_back(f.wait());
    f.time_ns += 200 * ms;  // longer than the ATO, shorter than the timeout of 300 ms
  }
  EXPECT_EQ(waits, (std::vector<Nanoseconds>{40 * ms, 80 * ms, 100 * ms, 100 * ms}));
}

TEST(AckDelay, IsQuickAgainAfterAPauseBeyondTheTimeout) {
  DelayedAcks f;
  EXPECT_FALSE(f.acknowledges(17));
  f.wait();
  f.time_ns += 301 * ms;
  for (int i = 18; i < 34; ++i) EXPECT_TRUE(f.acknowledges(i)) << i;
  EXPECT_FALSE(f.acknowledges(34));
}

TEST(AckDelay, AnswersHolesAndWhatFillsThemAtOnce) {
  DelayedAcks f;
  EXPECT_TRUE(f.acknowledges(18));   // beyond a hole
  EXPECT_TRUE(f.acknowledges(17));   // fills it
  EXPECT_FALSE(f.acknowledges(19));
  EXPECT_TRUE(f.acknowledges(21));   // the waiting one is acknowledged with it
  EXPECT_EQ(f.receiver.next(), 20);
}

TEST(AckDelay, AnswersADuplicateAndSixteenPacketsInAll) {
  DelayedAcks f;
  EXPECT_TRUE(f.acknowledges(5));
  for (int i = 17; i < 32; ++i) EXPECT_TRUE(f.acknowledges(i)) << i;
  EXPECT_FALSE(f.acknowledges(32));
}

TEST(AckDelay, AnswersThePushedPacketAtOnce) {
  DelayedAcks f;
  EXPECT_FALSE(f.acknowledges(17));
  EXPECT_TRUE(f.acknowledges(18));
  EXPECT_TRUE(f.acknowledges(19, true));
}

TEST(AckDelay, CollectsDuplicateAcksAfterThree) {
  // 1 ms and a slack of 0.1 ms, less than a twentieth of the RTT; at most 44 packets.
  DelayedAcks f;
  for (int i = 18; i < 21; ++i) EXPECT_TRUE(f.acknowledges(i)) << i;
  EXPECT_FALSE(f.acknowledges(21));
  const Nanoseconds begin_ns = f.time_ns;
  for (int i = 22; i < 30; ++i) {
    f.time_ns += ms / 10;
    EXPECT_FALSE(f.acknowledges(i)) << i;
  }
  f.wait();
  EXPECT_EQ(f.time_ns - begin_ns, 11 * ms / 10);
  for (int i = 30; i < 74; ++i) EXPECT_FALSE(f.acknowledges(i)) << i;
  EXPECT_TRUE(f.acknowledges(74));
  // A packet that advances begins again.
  f.time_ns += ms;
  for (int i = 76; i < 79; ++i) f.acknowledges(i);
  EXPECT_TRUE(f.acknowledges(17));
  EXPECT_TRUE(f.acknowledges(79));
}

TEST(AckDelay, LosesNoBlockWhileItCollects) {
  // A fourth block would displace the first: the reply goes before.
  DelayedAcks f;
  for (int i = 18; i < 21; ++i) f.acknowledges(i);
  EXPECT_FALSE(f.acknowledges(22));
  EXPECT_TRUE(f.acknowledges(24));
}

}  // namespace
}  // namespace clift::tcp
