// Linux's receive buffer by hand: 128 KiB of memory at first, 2304 bytes of memory for a segment of 1448, a share of
// 1448 * 256 / 2304 = 160 parts of 256; a window that grows by two segments with each, and a buffer with each round.
#include "core/tcp/receive_window.h"

#include <gtest/gtest.h>

#include "tests/milliseconds.h"

namespace clift::tcp {
namespace {

constexpr ReceiveWindowOptions ample{6'291'456, 1448, 1500};

TEST(ReceiveWindow, BeginsWithHalfOfTheFirstBuffer) {
  // 65,536 bytes are 45 segments.
  EXPECT_EQ(ReceiveWindow(ample).advertise(1, 0), 46);
  EXPECT_EQ(ReceiveWindow({65'536, 1448, 1500}).advertise(1, 0), 23);
  // One that begins with its largest size: 3,145,728 bytes are 2172 segments.
  EXPECT_EQ(ReceiveWindow({6'291'456, 1448, 1500, 6'291'456}).advertise(1, 0), 2173);
}

TEST(ReceiveWindow, GrowsByTwoSegmentsUpToTheBuffersShare) {
  // 131,072 bytes hold 131,072 * 160 / 256 = 81,920 bytes, 56 segments.
  ReceiveWindow window({131'072, 1448, 1500});
  for (int i = 1; i <= 5; ++i) {
    EXPECT_TRUE(window.on_packet(0, 1 + i, 0, 100 * ms));
    EXPECT_EQ(window.advertise(1 + i, 0), 1 + i + 45 + 2 * i);
  }
  EXPECT_TRUE(window.on_packet(0, 7, 0, -1));  // the rest: 81,920 - 55 * 1448 bytes
  EXPECT_FALSE(window.on_packet(0, 8, 0, -1));
  EXPECT_EQ(window.advertise(8, 0), 8 + 56);
}

TEST(ReceiveWindow, IsRightSizedOnceARound) {
  // 40 segments in a round after 10: 2 * 40 + 16 segments, and twice the growth of (40 - 10) / 10.
  ReceiveWindow window(ample);
  window.on_packet(0, 2, 0, 100 * ms);
  for (int i = 1; i < 40; ++i) window.on_packet(99 * ms, 2 + i, 0, -1);
  EXPECT_EQ(window.buffer_bytes(), 131'072);
  window.on_packet(100 * ms, 42, 0, -1);
  EXPECT_EQ(window.buffer_bytes(), (2 * 40 + 16) * (1 + 2 * 3) * 1448 * 256 / 160);
}

TEST(ReceiveWindow, EndsAtTheLargestBuffer) {
  ReceiveWindow window(ample);
  window.on_packet(0, 2, 0, 100 * ms);
  window.on_packet(100 * ms, 100'000, 0, -1);
  EXPECT_EQ(window.buffer_bytes(), ample.most_bytes);
}

TEST(ReceiveWindow, ShrinksNeverAndClosesWhenHeldPacketsFillTheBuffer) {
  // 56 segments of 2304 bytes fill 131,072 bytes but for 2048: less than a sixteenth, so that the window would be 0.
  ReceiveWindow window({131'072, 1448, 1500});
  for (int i = 1; i <= 10; ++i) window.on_packet(0, 1 + i, 0, 100 * ms);
  EXPECT_EQ(window.advertise(11, 0), 67);
  EXPECT_FALSE(window.is_tight(28));
  EXPECT_TRUE(window.is_tight(29));
  EXPECT_EQ(window.advertise(11, 56), 67);
  EXPECT_EQ(window.advertise(12, 56), 67);
  EXPECT_EQ(window.advertise(68, 0), 68 + 56);
}

}  // namespace
}  // namespace clift::tcp
