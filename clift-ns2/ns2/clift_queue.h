// `Queue/Clift`: a first-in, first-out queue with a packet limit in front of a link trace.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "config.h"
#include "queue.h"

#include "core/delivery_plan.h"
#include "core/trace_file.h"
#include "recorder.h"

namespace clift {

class CliftQueue : public Queue {
 public:
  CliftQueue();

  int command(int argc, const char* const* argv) override;
  void recv(Packet* packet, Handler* handler) override;
  void enque(Packet* packet) override;
  Packet* deque() override;
  void reset() override;

 private:
  // What DelayLink gets with every packet; takes the packet over.
  class Carrier : public Handler {
   public:
    explicit Carrier(CliftQueue& queue) : queue_(queue) {}
    void handle(Event*) override;
    bool carries(Packet* packet, Handler* next, double delay) override;

   private:
    CliftQueue& queue_;
  };

  // Calls a member of the queue when its event is due.
  class Call : public Handler {
   public:
    Call(CliftQueue& queue, void (CliftQueue::*member)(Event*)) : queue_(queue), member_(member) {}
    void handle(Event* event) override { (queue_.*member_)(event); }

   private:
    CliftQueue& queue_;
    void (CliftQueue::*member_)(Event*);
  };

  struct Counts {
    std::int64_t arrived = 0;
    std::int64_t overflowed = 0;
    std::int64_t delivered = 0;
    std::int64_t lost = 0;
    std::int64_t unsettled = 0;
    std::int64_t delivered_bytes = 0;
  };

  void load(const char* path);
  DeliveryPlan& plan();
  PlanOptions options() const;
  void schedule_departure();
  void depart(Event*);
  void count(Packet* packet, Fate fate);
  void lose(Event* packet);
  void give_up_unsettled(Event* packet);
  void give_up(Packet* packet, schema::PacketEvent event, NsObject* target);
  void overflow(Packet* packet);
  void say_stopped();
  void counters() const;

  int lldu_bytes_;
  int in_order_;
  int loop_;
  double hold_;
  double offset_;

  PacketQueue packets_;
  std::deque<Delivery> deliveries_;  // of the packets in packets_, as far as the trace goes
  std::optional<Delivery> leaving_;  // of the packet that is on its way to the link
  Nanoseconds last_arrival_ns_ = -1;  // of the last packet delivered, by plan
  double last_arrival_s_ = 0.0;       // and by the scheduler
  std::unique_ptr<LinkTraceFile> trace_;
  std::unique_ptr<DeliveryPlan> plan_;
  Counts counts_;
  std::int64_t stopped_at_ns_ = -1;

  Event departure_;
  Carrier carrier_{*this};
  Call depart_{*this, &CliftQueue::depart};
  Call lose_{*this, &CliftQueue::lose};
  Call give_up_unsettled_{*this, &CliftQueue::give_up_unsettled};

  Recorder* recorder_ = nullptr;
  NsObject* lost_target_ = nullptr;
  NsObject* unsettled_target_ = nullptr;
};

}  // namespace clift
