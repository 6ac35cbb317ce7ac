// Parameters of radio link control (TS 38.322).
#pragma once

#include <cstdint>

#include "core/time.h"

namespace clift {

struct RlcOptions {
  bool acknowledged = true;
  bool in_order = true;                  // delivery; unacknowledged mode always delivers in order
  std::int64_t max_retransmissions = 8;  // of a segment, before the sender gives it up
  std::int64_t window = 2048;            // most segments from the first unacknowledged one on
  std::int64_t poll_pdus = 16;           // new segments from poll to poll
  Nanoseconds poll_retransmit_ns = 0;    // t-PollRetransmit: from a poll to the next one without a status report
  Nanoseconds reassembly_ns = 0;         // t-Reassembly: wait for a missing segment
  Nanoseconds status_prohibit_ns = 0;    // t-StatusProhibit: least time between status reports
};

}  // namespace clift
