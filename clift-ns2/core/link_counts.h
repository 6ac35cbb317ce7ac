// Counters of a queue and the link behind it.
#pragma once

#include <cstdint>

#include "core/row_summary.h"

namespace clift {

struct LinkCounts {
  std::int64_t arrived = 0;     // packets that reached the queue
  std::int64_t overflowed = 0;  // dropped because the queue was full
  std::int64_t delivered = 0;
  std::int64_t lost = 0;
  std::int64_t unsettled = 0;
  std::int64_t delivered_bytes = 0;

  // Counts a packet that has left the queue.
  void settle(Fate fate, std::int64_t size_bytes) {
    if (fate == Fate::delivered) {
      ++delivered;
      delivered_bytes += size_bytes;
    } else {
      ++(fate == Fate::lost ? lost : unsettled);
    }
  }
};

}  // namespace clift
