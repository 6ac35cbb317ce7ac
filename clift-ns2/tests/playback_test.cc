// Which beginnings, lengths and offsets fit the rows of a trace.
#include "core/playback.h"

#include <gtest/gtest.h>

#include "core/input_error.h"
#include "core/npy.h"
#include "core/text.h"
#include "tests/rows.h"
#include "tests/scratch_folder.h"

namespace clift {
namespace {

constexpr Nanoseconds second_ns = 1'000'000'000;

// What is said of a trace with these rows, behind the name of its file; nothing if it can be played so.
std::string refusal_of(const Rows& rows, const Playback& playback) {
  const ScratchFolder folder;
  const std::string path = folder.file("link.npy"), start = path + ": ";
  const auto count = static_cast<std::int64_t>(rows.size());
  write_file(path, npy_header(LinkRow::descr, count) +
                       std::string(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(LinkRow)));
  try {
    check_playback(LinkTraceFile(path), playback);
  } catch (const InputError& error) {
    const std::string words = error.what();
    EXPECT_EQ(words.substr(0, start.size()), start);
    return words.substr(start.size());
  }
  return "";
}

Playback once(Nanoseconds begin_ns, Nanoseconds length_ns, Nanoseconds offset_ns = 0) {
  return {begin_ns, length_ns, offset_ns, false};
}

const Rows two_rows = {delivered_row(second_ns, 0), delivered_row(2 * second_ns + 500'000'000, 0)};  // 1 s and 2.5 s
const Rows one_row = {delivered_row(second_ns, 0)};

TEST(Playback, LetsRowsLieWithinTheLength) {
  EXPECT_EQ(refusal_of(two_rows, {}), "");
  EXPECT_EQ(refusal_of(two_rows, once(second_ns, 1'500'000'001)), "");
  EXPECT_EQ(refusal_of(two_rows, once(second_ns, 1'500'000'001, 1'500'000'000)), "");
  EXPECT_EQ(refusal_of(one_row, repeating(0, 2 * second_ns)), "");
  EXPECT_EQ(refusal_of(one_row, once(0, 0, second_ns)), "");
}

TEST(Playback, RefusesRowsOutsideTheLength) {
  EXPECT_EQ(refusal_of(two_rows, once(second_ns + 1, 2 * second_ns)),
            "the first row, at 1 s, is outside the trace's time, from 1.000000001 s until before 3.000000001 s");
  EXPECT_EQ(refusal_of(two_rows, once(second_ns, 1'500'000'000)),
            "the last row, at 2.5 s, is outside the trace's time, from 1 s until before 2.5 s");
}

TEST(Playback, RefusesAnOffsetBehindTheEnd) {
  EXPECT_EQ(refusal_of(two_rows, once(second_ns, 3 * second_ns, 3 * second_ns)),
            "the offset of 3 s is not within the trace's length of 3 s");
  EXPECT_EQ(refusal_of(two_rows, once(second_ns, 0, 1'500'000'001)),
            "the offset of 1.500000001 s from 1 s on is behind the last row at 2.5 s");
}

TEST(Playback, RefusesToRepeatOneRowWithoutALength) {
  EXPECT_EQ(refusal_of(one_row, repeating()),
            "a trace of one row cannot repeat without a length; give its length, or let the link stop at its end");
}

TEST(Playback, RefusesTimesThatNoTraceHas) {
  EXPECT_EQ(refusal_of(one_row, once(-1, 0)), "begin is -0.000000001 s; allowed is 0 to 4611686018.427387904");
  EXPECT_EQ(refusal_of(one_row, once(0, -second_ns)), "length is -1 s; allowed is 0 to 4611686018.427387904");
  EXPECT_EQ(refusal_of(one_row, once(0, 0, never)),
            "offset is 9223372036.854775807 s; allowed is 0 to 4611686018.427387904");
}

TEST(Playback, EndsWithItsLengthOrItsLastRow) {
  EXPECT_EQ(once(3, 7, 2).start_ns(), 5);
  EXPECT_EQ(once(3, 7, 2).end_ns(8), 10);
  EXPECT_EQ(once(3, 0, 2).end_ns(8), 8);
}

TEST(SecondsText, ShowsEveryNanosecond) {
  EXPECT_EQ(seconds_text(0), "0");
  EXPECT_EQ(seconds_text(1), "0.000000001");
  EXPECT_EQ(seconds_text(1'050'000'000), "1.05");
  EXPECT_EQ(seconds_text(20 * second_ns), "20");
  EXPECT_EQ(seconds_text(std::numeric_limits<Nanoseconds>::min()), "-9223372036.854775808");
}

}  // namespace
}  // namespace clift
