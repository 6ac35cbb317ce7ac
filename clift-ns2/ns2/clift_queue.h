// `Queue/Clift`: a queue with a discipline in front of a link trace (`load`), or of a link of constant rate (`rate`).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "link_queue.h"

#include "core/queued_link.h"
#include "core/trace_file.h"
#include "timer.h"

namespace clift {

class CliftQueue : public LinkQueue {
 public:
  CliftQueue();

  int command(int argc, const char* const* argv) override;
  void reset() override;

  // Puts `newer` in the place of the packet with this number, and returns that one; null if it does not wait.
  Packet* exchange(Packet* newer, int uid);

 private:
  void take(Packet* packet) override;
  std::int64_t queued() const override { return link_ ? link_->queued() : 0; }
  void carry(Packet* packet, Handler* next, double delay_s) override;
  void load(const char* path) override;
  void add_counters(Counters& counters) override;

  QueuedLink& link() { return link_ ? *link_ : begin(); }
  QueuedLink& begin();
  PlanOptions plan_options() const;
  Packet* released(const QueuedPacket& packet);
  void pull();
  void take_dropped();
  void proceed();
  void set_timer();

  int lldu_bytes_;

  std::deque<Packet*> places_;  // of the packets in the queue, for which these are the handles; null: free
  std::vector<Packet**> free_places_;

  double rate_bps_ = 0;  // of a link without a trace
  std::unique_ptr<LinkTraceFile> trace_;
  std::unique_ptr<QueuedLink> link_;
  Delivery delivery_{};              // of the packet that is being passed to the DelayLink
  Nanoseconds next_ns_ = never;      // when the timer goes off

  Timer<CliftQueue, &CliftQueue::proceed> timer_{*this};
};

}  // namespace clift
