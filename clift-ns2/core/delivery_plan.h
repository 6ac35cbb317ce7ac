// When a packet that joins the queue in front of a link trace leaves it, and what becomes of it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/trace_file.h"
#include "core/row_clock.h"
#include "core/time.h"

namespace clift {

struct PlanOptions {
  std::int64_t lldu_bytes = 1500;  // what one row carries, at least 1
  Nanoseconds offset_ns = 0;       // trace time at simulated time 0
  bool loop = false;               // start again at the end of the trace
  bool in_order = false;           // the far end releases packets in order
  Nanoseconds hold_ns = 0;         // longest wait for an earlier packet; 0: no bound
};

enum class Fate { delivered, lost, unsettled };

// Simulated times of one packet, without propagation.
struct Delivery {
  Nanoseconds departure_ns;  // its last row is sent: it leaves the queue
  Nanoseconds arrival_ns;    // the far end has it, or learns that it is not to come
  Fate fate;
};

// Rows of the trace that have been sent, repetitions included, up to some moment.
struct RowUse {
  std::int64_t offered;  // since simulated time 0
  std::int64_t used;     // carried packets, or parts of them
  std::int64_t unused;   // passed while the queue was empty, or held nothing that fitted
  std::int64_t repeats;  // times that the trace started again
};

// A packet of S bytes takes ceil(S / lldu_bytes) rows: the next ones that are neither before its arrival nor
// among the previous packets' rows. It leaves with the last of them, and is delivered when all of them are.
// A first-in, first-out queue over a fixed trace can say all this when the packet arrives.
class DeliveryPlan {
 public:
  // The rows outlive the plan. Options are in range; a trace that loops has at least two rows.
  DeliveryPlan(LinkRows rows, const PlanOptions& options);

  // Plans the next packet; arrivals do not decrease. Nothing when too few rows are left: the link has stopped.
  std::optional<Delivery> plan(Nanoseconds arrival_ns, std::int64_t size_bytes);

  // `now_ns` is not before the last packet's arrival.
  RowUse use_until(Nanoseconds now_ns) const;

 private:
  std::int64_t rows_for(std::int64_t size_bytes);
  Nanoseconds released_at(const Delivery& packet);

  PlanOptions options_;
  RowClock clock_;
  std::int64_t first_row_;      // first row that is not before simulated time 0
  std::int64_t next_row_;       // first row that no packet has and that may still come
  std::int64_t unused_ = 0;     // rows before next_row_ that carry nothing
  std::int64_t last_size_bytes_ = 0;
  std::int64_t last_rows_ = 1;  // rows that a packet of this size takes
  bool stopped_ = false;        // a packet found too few rows
  Nanoseconds settled_ns_ = 0;  // when the fate of every packet so far is settled
};

}  // namespace clift
