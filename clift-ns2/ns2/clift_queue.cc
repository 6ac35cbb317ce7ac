#include "clift_queue.h"

#include <string>

#include "failure.h"
#include "named_class.h"

namespace clift {

namespace {

NamedClass<CliftQueue> clift_queue_class("Queue/Clift");

}  // namespace

CliftQueue::CliftQueue() : LinkQueue("Queue/Clift") {
  bind("lldu_bytes_", &lldu_bytes_);
  bind_bool("in_order_", &in_order_);
  bind_time("hold_", &hold_);
}

void CliftQueue::load(const char* path) { trace_ = opened<LinkTraceFile>(path, plan_ != nullptr); }

// Makes the plan when the simulation begins, so that a script may set variables and load the trace in any order.
DeliveryPlan& CliftQueue::begin() {
  if (!trace_) fail(name_ + ": there is no link trace; call `load FILE.npy` before packets arrive");
  plan_ = std::make_unique<DeliveryPlan>(trace_->rows(), options());
  return *plan_;
}

PlanOptions CliftQueue::options() const {
  check_limit();
  PlanOptions options{checked_playback(*trace_)};
  options.lldu_bytes = checked_count("lldu_bytes_", lldu_bytes_, 1);
  options.packing = packing();
  options.hold_ns = checked_time("hold_", hold_, "0 (no bound) or a time in seconds", longest_time_ns);
  options.in_order = in_order_ != 0;
  return options;
}

void CliftQueue::joined(Packet* packet) {
  const bool first = deliveries_.empty();
  Delivery& delivery = deliveries_.emplace_back();
  if (!plan().plan(now_ns(), hdr_cmn::access(packet)->size(), delivery)) {
    deliveries_.pop_back();
    say_stopped(*trace_);
    return;
  }
  if (first) departure_.set(delivery.departure_ns);
}

void CliftQueue::reset() {
  departure_.cancel();
  deliveries_.clear();
  LinkQueue::reset();
  if (trace_) begin();
}

void CliftQueue::depart() {
  send_head();
  deliveries_.pop_front();
  if (!deliveries_.empty()) departure_.set(deliveries_.front().departure_ns);
}

void CliftQueue::carry(Packet* packet, Handler* next, double delay_s) {
  const Delivery& delivery = deliveries_.front();
  settle(packet, delivery.fate, delivery.arrival_ns, next, delay_s);
}

void CliftQueue::add_counters(Counters& counters) {
  add_use(counters, plan_ ? plan_->use_until(now_ns()) : RowUse{});
}

}  // namespace clift
