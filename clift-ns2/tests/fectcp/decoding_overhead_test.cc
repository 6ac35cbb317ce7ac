// Overheads by hand.
#include "core/fectcp/decoding_overhead.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace clift::fectcp {
namespace {

TEST(DecodingOverhead, OfAShareIsRoundedUp) {
  const DecodingOverhead overhead = DecodingOverhead::parse("5%");
  EXPECT_EQ(overhead.draw(100, 0.9), 5);
  EXPECT_EQ(overhead.draw(101, 0.0), 6);
  EXPECT_EQ(overhead.draw(1, 0.0), 1);
  EXPECT_EQ(overhead.likely_beyond(100, -1), 5);
  EXPECT_EQ(overhead.likely_beyond(100, 7), 8);  // 7 have not sufficed, whatever the share says
  EXPECT_EQ(DecodingOverhead::parse("0%").draw(1000, 0.5), 0);
  EXPECT_EQ(DecodingOverhead::parse("2.5%").draw(1000, 0.5), 25);
}

TEST(DecodingOverhead, IsDrawnByWeight) {
  const DecodingOverhead overhead = DecodingOverhead::parse("0:5,2:3,7:2");
  EXPECT_EQ(overhead.draw(100, 0.0), 0);
  EXPECT_EQ(overhead.draw(100, 0.499), 0);
  EXPECT_EQ(overhead.draw(100, 0.5), 2);
  EXPECT_EQ(overhead.draw(100, 0.799), 2);
  EXPECT_EQ(overhead.draw(100, 0.8), 7);
  EXPECT_EQ(overhead.draw(100, 0.999), 7);
}

TEST(DecodingOverhead, OfTheNextTryHasEvenOdds) {
  const DecodingOverhead overhead = DecodingOverhead::parse("0:4,2:3,7:2,9:1");
  EXPECT_EQ(overhead.likely_beyond(100, -1), 2);  // 4 of 10 decode without, 7 with two
  EXPECT_EQ(overhead.likely_beyond(100, 0), 2);   // 3 of the 6 that are left
  EXPECT_EQ(overhead.likely_beyond(100, 1), 2);
  EXPECT_EQ(overhead.likely_beyond(100, 2), 7);
  EXPECT_EQ(overhead.likely_beyond(100, 8), 9);
  EXPECT_EQ(overhead.likely_beyond(100, 9), 10);  // more than was ever seen: one by one
}

TEST(DecodingOverhead, RefusesWhatIsNone) {
  for (const char* text : {"", "5", "%", "-1%", "nan%", "x%", "5%%", "1:1,1:1", "2:1,1:1", "0:0", "0.5:1", "a:1", "0:b",
                           "0:-1", "1:2:3", "0:inf"}) {
    EXPECT_THROW(DecodingOverhead::parse(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace clift::fectcp
