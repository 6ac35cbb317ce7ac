// Counters of a queue and the link behind it.
#pragma once

#include <cstdint>

#include "core/aqm/discipline.h"
#include "core/row_summary.h"
#include "core/schema.h"

namespace clift {

inline schema::PacketEvent event_of(DropCause cause) {
  return cause == DropCause::limit ? schema::PacketEvent::queue_dropped : schema::PacketEvent::aqm_dropped;
}

struct LinkCounts {
  std::int64_t arrived = 0;     // packets that reached the queue
  std::int64_t overflowed = 0;  // dropped by a limit of the queue
  std::int64_t aqm_dropped = 0;  // dropped by the queue's discipline
  std::int64_t marked = 0;       // by the queue's discipline
  std::int64_t delivered = 0;
  std::int64_t lost = 0;
  std::int64_t unsettled = 0;
  std::int64_t delivered_bytes = 0;

  void drop(DropCause cause) { ++(cause == DropCause::limit ? overflowed : aqm_dropped); }

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
