// Departure and fate of each packet on a link trace.
#pragma once

#include <cstdint>

#include "core/packing.h"
#include "core/playback.h"
#include "core/row_bytes.h"
#include "core/row_clock.h"
#include "core/trace_file.h"
#include "core/time.h"

namespace clift {

struct PlanOptions : Playback {
  std::int64_t lldu_bytes = 1500;  // size of a row where the trace has no sizes, at least 1
  Packing packing = Packing::padded;
  bool in_order = false;           // the far end releases packets in order
  Nanoseconds hold_ns = 0;         // longest wait for an earlier packet; 0: no bound
};

// Simulated times of one packet, without propagation.
struct Delivery {
  Nanoseconds departure_ns;  // its last row is sent: it leaves the queue
  Nanoseconds arrival_ns;    // the far end has it, or learns that it is lost
  Fate fate;
};

// A packet takes the next free rows from its arrival on, until they carry all its bytes. It leaves with the last of
// them, and is delivered when all of them are delivered. Packed, it begins in the previous packet's last row if it
// arrives by that row's sending time. Packets are planned in the order in which the link pulls them; first in, first out,
// that may be when they arrive.
class DeliveryPlan {
 public:
  // The rows outlive the plan, and can be played so; see `check_playback`. Options are in range.
  DeliveryPlan(LinkRows rows, const PlanOptions& options);

  // Plans the next packet into `packet`, which saves a copy. No row before its first one is free from its arrival on. False when too few rows are left:
  // the link has stopped.
  bool plan(Nanoseconds arrival_ns, std::int64_t size_bytes, Delivery& packet);

  // Sending time of the first row that a packet with this arrival would take; `never` without a row.
  Nanoseconds begin_ns(Nanoseconds arrival_ns) const;

  // `now_ns` is not before the last packet's arrival.
  RowUse use_until(Nanoseconds now_ns) const;

 private:
  Nanoseconds released_at(const Delivery& packet);

  PlanOptions options_;
  Nanoseconds start_ns_;        // trace time at simulated time 0
  RowClock clock_;
  RowBytes bytes_;
  std::int64_t first_row_;      // first row that is not before simulated time 0
  std::int64_t next_row_;       // first row that no packet has and that may still come
  std::int64_t unused_ = 0;     // rows before next_row_ that carry nothing
  std::int64_t left_bytes_ = 0;     // packed: of the row before next_row_, that no packet has
  Nanoseconds departure_ns_ = -1;   // when that row is sent
  std::int64_t used_bytes_ = 0;     // of all rows, taken by packets
  bool stopped_ = false;        // a packet found too few rows
  Nanoseconds settled_ns_ = 0;  // when the fate of every packet so far is settled
};

}  // namespace clift
