#include "clift_queue.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "core/input_error.h"
#include "failure.h"
#include "sim_time.h"

namespace clift {

namespace {

class CliftQueueClass : public TclClass {
 public:
  CliftQueueClass() : TclClass("Queue/Clift") {}
  TclObject* create(int, const char* const*) override { return new CliftQueue; }
} clift_queue_class;

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

[[noreturn]] void refuse(const char* name, double value, const char* allowed) {
  fail(std::string("Queue/Clift: ") + name + " is " + shown(value) + "; allowed is " + allowed);
}

}  // namespace

CliftQueue::CliftQueue() {
  pq_ = &packets_;
  bind("lldu_bytes_", &lldu_bytes_);
  bind_bool("in_order_", &in_order_);
  bind_bool("loop_", &loop_);
  bind_time("hold_", &hold_);
  bind_time("offset_", &offset_);
}

int CliftQueue::command(int argc, const char* const* argv) {
  if (argc == 2 && std::strcmp(argv[1], "counters") == 0) {
    counters();
    return TCL_OK;
  }
  if (argc == 3 && std::strcmp(argv[1], "load") == 0) {
    load(argv[2]);
    return TCL_OK;
  }
  if (argc == 3 && std::strcmp(argv[1], "recorder") == 0) {
    recorder_ = dynamic_cast<Recorder*>(TclObject::lookup(argv[2]));
    return recorder_ != nullptr ? TCL_OK : TCL_ERROR;
  }
  if (argc == 3 && std::strcmp(argv[1], "lost-target") == 0) {
    lost_target_ = dynamic_cast<NsObject*>(TclObject::lookup(argv[2]));
    return lost_target_ != nullptr ? TCL_OK : TCL_ERROR;
  }
  if (argc == 3 && std::strcmp(argv[1], "unsettled-target") == 0) {
    unsettled_target_ = dynamic_cast<NsObject*>(TclObject::lookup(argv[2]));
    return unsettled_target_ != nullptr ? TCL_OK : TCL_ERROR;
  }
  return Queue::command(argc, argv);
}

void CliftQueue::load(const char* path) {
  if (plan_) fail(std::string("Queue/Clift: load ") + path + " comes too late: the simulation has begun");
  try {
    trace_ = std::make_unique<LinkTraceFile>(path);
  } catch (const InputError& error) {
    fail(error.what());
  }
}

// Made when the simulation begins, so that it does not matter in which order a script sets variables and loads.
DeliveryPlan& CliftQueue::plan() {
  if (!plan_) {
    if (!trace_) fail("Queue/Clift: there is no link trace; call `load FILE.npy` before packets arrive");
    plan_ = std::make_unique<DeliveryPlan>(trace_->rows(), options());
  }
  return *plan_;
}

PlanOptions CliftQueue::options() const {
  if (lldu_bytes_ < 1) refuse("lldu_bytes_", lldu_bytes_, "1 or more");
  if (qlim_ < 1) refuse("limit_", qlim_, "1 or more");
  if (!(hold_ >= 0 && hold_ < 4e9)) refuse("hold_", hold_, "0 (no bound) or a time in seconds");
  if (!(offset_ >= 0 && offset_ < 4e9)) refuse("offset_", offset_, "a time in seconds, from 0");
  const LinkRows rows = trace_->rows();
  const Nanoseconds last_ns = rows[rows.count - 1].tx_time_ns;
  if (to_ns(offset_) > last_ns) {
    fail(trace_->path() + ": offset_ is " + shown(offset_) + " s, behind the last row at " +
         shown(to_seconds(last_ns)) + " s");
  }
  if (loop_ != 0 && rows.count < 2) fail(trace_->path() + ": a trace of one row cannot repeat; loop_ is 1");
  PlanOptions options;
  options.lldu_bytes = lldu_bytes_;
  options.offset_ns = to_ns(offset_);
  options.loop = loop_ != 0;
  options.in_order = in_order_ != 0;
  options.hold_ns = to_ns(hold_);
  return options;
}

void CliftQueue::recv(Packet* packet, Handler*) {
  DeliveryPlan& delivery_plan = plan();
  ++counts_.arrived;
  if (packets_.length() >= qlim_) {
    overflow(packet);
    return;
  }
  enque(packet);
  const auto delivery = delivery_plan.plan(now_ns(), hdr_cmn::access(packet)->size());
  if (!delivery) {
    say_stopped();
    return;
  }
  deliveries_.push_back(*delivery);
  if (deliveries_.size() == 1) schedule_departure();
}

void CliftQueue::enque(Packet* packet) { packets_.enque(packet); }

Packet* CliftQueue::deque() {
  if (!deliveries_.empty()) deliveries_.pop_front();
  return packets_.deque();
}

void CliftQueue::reset() {
  if (departure_.uid_ > 0) Scheduler::instance().cancel(&departure_);
  Queue::reset();
  if (trace_) plan();
}

void CliftQueue::schedule_departure() {
  schedule_at(to_seconds(deliveries_.front().departure_ns), &depart_, &departure_);
}

void CliftQueue::depart(Event*) {
  leaving_ = deliveries_.front();
  Packet* packet = deque();
  count(packet, leaving_->fate);
  target_->recv(packet, &carrier_);
  if (!deliveries_.empty()) schedule_departure();
}

void CliftQueue::Carrier::handle(Event*) {
  fail("Queue/Clift: what follows the queue is no DelayLink; use it in simplex-link or duplex-link");
}

bool CliftQueue::Carrier::carries(Packet* packet, Handler* next, double delay) {
  const Delivery& delivery = *queue_.leaving_;
  const double arrival_s = to_seconds(delivery.arrival_ns) + delay;
  if (delivery.fate == Fate::delivered) {
    const bool together = delivery.arrival_ns == queue_.last_arrival_ns_;
    schedule_at(arrival_s, next, packet, together ? queue_.last_arrival_s_ : 0.0);
    queue_.last_arrival_ns_ = delivery.arrival_ns;
    queue_.last_arrival_s_ = packet->time_;
  } else {
    schedule_at(arrival_s, delivery.fate == Fate::lost ? &queue_.lose_ : &queue_.give_up_unsettled_, packet);
  }
  return true;
}

void CliftQueue::count(Packet* packet, Fate fate) {
  counts_.lost += fate == Fate::lost;
  counts_.unsettled += fate == Fate::unsettled;
  if (fate != Fate::delivered) return;
  ++counts_.delivered;
  counts_.delivered_bytes += hdr_cmn::access(packet)->size();
}

void CliftQueue::lose(Event* packet) {
  give_up(static_cast<Packet*>(packet), schema::PacketEvent::link_lost, lost_target_);
}

void CliftQueue::give_up_unsettled(Event* packet) {
  give_up(static_cast<Packet*>(packet), schema::PacketEvent::link_unsettled, unsettled_target_);
}

void CliftQueue::give_up(Packet* packet, schema::PacketEvent event, NsObject* target) {
  if (recorder_ != nullptr) recorder_->met(packet, event);
  if (target != nullptr) {
    target->recv(packet);
  } else {
    Packet::free(packet);
  }
}

void CliftQueue::overflow(Packet* packet) {
  ++counts_.overflowed;
  if (recorder_ != nullptr) recorder_->met(packet, schema::PacketEvent::queue_dropped);
  drop(packet);
}

void CliftQueue::say_stopped() {
  if (stopped_at_ns_ >= 0) return;
  const LinkRows rows = trace_->rows();
  stopped_at_ns_ = rows[rows.count - 1].tx_time_ns - to_ns(offset_);
  std::fprintf(stderr, "%s: the trace ends at %s s of simulated time; the link stops there (loop_ is 0)\n",
               trace_->path().c_str(), shown(to_seconds(stopped_at_ns_)).c_str());
}

// The result is a Tcl list of names and values.
void CliftQueue::counters() const {
  std::string list;
  const auto add = [&list](const char* name, std::int64_t value) {
    list += (list.empty() ? "" : " ") + std::string(name) + " " + std::to_string(value);
  };
  const RowUse use = plan_ ? plan_->use_until(now_ns()) : RowUse{0, 0, 0, 0};
  add("packets_arrived", counts_.arrived);
  add("packets_overflowed", counts_.overflowed);
  add("packets_delivered", counts_.delivered);
  add("packets_lost", counts_.lost);
  add("packets_unsettled", counts_.unsettled);
  add("packets_queued", packets_.length());
  add("bytes_delivered", counts_.delivered_bytes);
  add("rows_offered", use.offered);
  add("rows_used", use.used);
  add("rows_unused", use.unused);
  add("trace_repeats", use.repeats);
  add("stopped_at_ns", stopped_at_ns_);
  Tcl::instance().resultf("%s", list.c_str());
}

}  // namespace clift
