// `Queue/Clift`: a first-in, first-out queue with a packet limit in front of a link trace.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "link_queue.h"

#include "core/delivery_plan.h"
#include "core/trace_file.h"
#include "timer.h"

namespace clift {

class CliftQueue : public LinkQueue {
 public:
  CliftQueue();

  void reset() override;

 private:
  void joined(Packet* packet) override;
  void carry(Packet* packet, Handler* next, double delay_s) override;
  void load(const char* path) override;
  void add_counters(Counters& counters) override;

  DeliveryPlan& plan() { return plan_ ? *plan_ : begin(); }
  DeliveryPlan& begin();
  PlanOptions options() const;
  void depart();

  int lldu_bytes_;
  int in_order_;
  double hold_;

  // Deliveries of the packet that is being passed to the link and of the packets in packets_, up to the trace's end.
  std::deque<Delivery> deliveries_;
  std::unique_ptr<LinkTraceFile> trace_;
  std::unique_ptr<DeliveryPlan> plan_;

  Timer<CliftQueue, &CliftQueue::depart> departure_{*this};
};

}  // namespace clift
