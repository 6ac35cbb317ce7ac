#include "core/playback.h"

#include "core/input_error.h"
#include "core/text.h"

namespace clift {

namespace {

constexpr Nanoseconds longest_ns = Nanoseconds{1} << 62;  // as in traces

}  // namespace

template <class Row>
void check_playback(const TraceFile<Row>& trace, const Playback& playback) {
  const auto refuse = [&trace](const std::string& reason) { throw InputError(trace.path(), reason); };
  const auto check_time = [&](const char* name, Nanoseconds time_ns) {
    if (time_ns >= 0 && time_ns <= longest_ns) return;
    refuse(std::string(name) + " is " + seconds_text(time_ns) + " s; allowed is 0 to " + seconds_text(longest_ns));
  };
  check_time("begin", playback.begin_ns);
  check_time("length", playback.length_ns);
  check_time("offset", playback.offset_ns);

  const TraceRows<Row> rows = trace.rows();
  const std::string begin = seconds_text(playback.begin_ns), offset = seconds_text(playback.offset_ns);
  if (playback.length_ns == 0) {
    if (playback.start_ns() > rows.last_tx_ns()) {
      refuse("the offset of " + offset + " s from " + begin + " s on is behind the last row at " +
             seconds_text(rows.last_tx_ns()) + " s");
    }
    if (playback.loop && rows.count < 2) {
      refuse("a trace of one row cannot repeat without a length; give its length, or let the link stop at its end");
    }
    return;
  }
  const Nanoseconds end_ns = playback.end_ns(rows.last_tx_ns());
  const auto check_row = [&](const char* which, Nanoseconds tx_ns) {
    if (tx_ns >= playback.begin_ns && tx_ns < end_ns) return;
    refuse(std::string("the ") + which + " row, at " + seconds_text(tx_ns) + " s, is outside the trace's time, from " +
           begin + " s until before " + seconds_text(end_ns) + " s");
  };
  check_row("first", rows[0].tx_time_ns);
  check_row("last", rows.last_tx_ns());
  if (playback.offset_ns >= playback.length_ns) {
    refuse("the offset of " + offset + " s is not within the trace's length of " + seconds_text(playback.length_ns) +
           " s");
  }
}

template void check_playback(const LinkTraceFile&, const Playback&);
template void check_playback(const PhyTraceFile&, const Playback&);

}  // namespace clift
