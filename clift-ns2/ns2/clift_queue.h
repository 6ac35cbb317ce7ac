// `Queue/Clift`: a queue with a discipline in front of a link trace (`load`), or of a link of constant rate (`rate`).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "link_queue.h"

#include "core/queued_link.h"
#include "core/trace_file.h"
#include "timer.h"

namespace clift {

class CliftQueue final : public LinkQueue {
 public:
  CliftQueue();

  int command(int argc, const char* const* argv) override;
  void recv(Packet* packet, Handler* handler) override { LinkQueue::recv(packet, handler); }  // calls `take` directly
  void reset() override;

  // Puts `newer` in the place of the packet with this number, and returns that one; null if it does not wait.
  Packet* exchange(Packet* newer, int uid);

 private:
  // Of a packet in the queue, which it is the handle of.
  struct Place {
    Packet* packet;  // null: the place is free
    Place* next_free;
  };

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
  void follow_up();
  void take_dropped();
  void proceed();

  void set_timer() {
    if (link_->next_ns() >= next_ns_) return;
    next_ns_ = link_->next_ns();
    timer_.set(next_ns_);
  }

  int lldu_bytes_;

  std::deque<Place> places_;  // they do not move
  Place* free_ = nullptr;     // list of free places

  double rate_bps_ = 0;  // of a link without a trace
  std::unique_ptr<LinkTraceFile> trace_;
  std::unique_ptr<QueuedLink> link_;
  Nanoseconds arrival_ns_ = 0;   // of the packet that is being passed to the DelayLink
  Fate fate_ = Fate::delivered;  // its fate
  Nanoseconds next_ns_ = never;  // when the timer goes off

  Timer<CliftQueue, &CliftQueue::proceed> timer_{*this};
};

}  // namespace clift
