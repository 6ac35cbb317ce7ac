// A line whose users share its slots: each slot goes, at its time, to one who has something to send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/online/link_layer.h"
#include "core/online/slot_scheduler.h"
#include "core/online/slots.h"
#include "core/time.h"
#include "core/trace_file.h"

namespace clift {

// Each user has a link layer with `is_shared`, over a trace of its own of the line's slots. The line lets the layers run
// in the scheduler's order when a slot has begun: of those to whom it is offered, the first one who can use it sends, and
// for the others it is gone. A layer that sends several units together takes as many slots.
class SharedLine {
 public:
  struct User {
    LinkLayer* layer;
    TraceSlots* slots;
  };

  // The users' slots have the same times.
  SharedLine(std::vector<User> users, std::unique_ptr<SlotScheduler> scheduler);

  // Gives the slots that have begun before `now_ns`. Call it at `wake_ns`, and before a packet is offered to a user.
  void run(Nanoseconds now_ns);

  // Time of the next necessary `run`.
  Nanoseconds wake_ns() const;

 private:
  void offer(std::int64_t row, Nanoseconds now_ns);

  std::vector<User> users_;
  std::unique_ptr<SlotScheduler> scheduler_;
  std::vector<std::int64_t> sizes_;
};

// Throws InputError unless both traces have the same slots.
void check_same_slots(const PhyTraceFile& trace, const PhyTraceFile& other);

}  // namespace clift
