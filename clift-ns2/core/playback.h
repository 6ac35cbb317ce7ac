// Which part of a trace a link plays, and when: beginning, length, start, repetition.
#pragma once

#include <string>

#include "core/time.h"
#include "core/trace_file.h"

namespace clift {

// A trace covers the time from its beginning on, for its length; its rows lie in there. Repetition k is later by k times
// the length. Simulated time 0 is trace time begin + offset.
struct Playback {
  Nanoseconds begin_ns = 0;
  Nanoseconds length_ns = 0;  // 0: the rows tell it, by the times of the first and the last one
  Nanoseconds offset_ns = 0;  // from the beginning
  bool loop = false;          // start again at the end of the trace

  Nanoseconds start_ns() const { return sum_of(begin_ns, offset_ns); }

  // Trace time at which a trace with this last row ends, if it does not repeat.
  Nanoseconds end_ns(Nanoseconds last_tx_ns) const {
    return length_ns > 0 ? sum_of(begin_ns, length_ns) : last_tx_ns;
  }
};

// Throws InputError, which names the file, if its rows cannot be played so: a time is negative or too long, rows lie
// outside the length, the offset is behind the end, or one row without a length would have to repeat.
template <class Row>
void check_playback(const TraceFile<Row>& trace, const Playback& playback);

}  // namespace clift
