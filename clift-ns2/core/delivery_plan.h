// Departure and fate of each packet on a link trace.
#pragma once

#include <algorithm>
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
  // Leaves the rows before this one, and what is left of the last one taken, unused.
  void skip_to(std::int64_t row) {
    unused_ += row - next_row_;
    next_row_ = row;
    left_bytes_ = 0;
  }

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

[[gnu::always_inline]] inline bool DeliveryPlan::plan(Nanoseconds arrival_ns, std::int64_t size_bytes, Delivery& packet) {
  if (stopped_) return false;
  // No free row has passed while the previous packet's last row has not been sent.
  if (arrival_ns > departure_ns_) skip_to(clock_.first_from(sum_of(arrival_ns, start_ns_), next_row_));
  std::int64_t used_bytes = std::max<std::int64_t>(size_bytes, 1), left_bytes = left_bytes_ - used_bytes;
  const std::int64_t begin = left_bytes_ > 0 ? next_row_ - 1 : next_row_;
  std::int64_t end = next_row_;
  if (left_bytes < 0) {
    const RowBytes::Place last = bytes_.place_of(clock_, next_row_, -left_bytes);
    end += last.rows_on + 1;
    left_bytes = last.left_bytes;
  }
  if (options_.packing == Packing::padded) {
    used_bytes += left_bytes;
    left_bytes = 0;
  }
  if (!clock_.are_near(begin, end)) {
    stopped_ = clock_.ends_before(end);
    if (stopped_) return false;
    clock_.stay_near(end);
  }
  const RowSummary rows = clock_.summary(begin, end);
  used_bytes_ = sum_of(used_bytes_, used_bytes);
  left_bytes_ = left_bytes;
  next_row_ = end;
  departure_ns_ = rows.sent_ns - start_ns_;
  packet = {departure_ns_, rows.settled_ns - start_ns_, rows.fate};
  if (options_.in_order) packet.arrival_ns = released_at(packet);
  return true;
}

}  // namespace clift
