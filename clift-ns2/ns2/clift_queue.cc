#include "clift_queue.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "random.h"

#include "core/words.h"
#include "failure.h"
#include "named_class.h"

namespace clift {

namespace {

NamedClass<CliftQueue> clift_queue_class("Queue/Clift");

}  // namespace

CliftQueue::CliftQueue() : LinkQueue("Queue/Clift") {
  bind("lldu_bytes_", &lldu_bytes_);
}

int CliftQueue::command(int argc, const char* const* argv) {
  if (argc == 3 && std::string(argv[1]) == "rate") {
    const auto rate_bps = number_in(argv[2], 1.0, 1e12);
    if (!rate_bps) clift::refuse(name_ + ": rate", argv[2], "a rate from 1 to 1e12 bit/s");
    rate_bps_ = *rate_bps;
    return TCL_OK;
  }
  return LinkQueue::command(argc, argv);
}

void CliftQueue::load(const char* path) { trace_ = opened<LinkTraceFile>(path, link_ != nullptr); }

// Makes the link when the simulation begins, so that a script may set variables and load the trace in any order.
QueuedLink& CliftQueue::begin() {
  if (!trace_ && rate_bps_ == 0) fail(name_ + ": there is no link trace; call `load FILE.npy` before packets arrive");
  LinkPlan plan = trace_ ? LinkPlan(DeliveryPlan(trace_->rows(), plan_options())) : LinkPlan(RatePlan(rate_bps_));
  link_ = std::make_unique<QueuedLink>(std::move(plan), queue_options(), [] { return Random::uniform(); });
  return *link_;
}

PlanOptions CliftQueue::plan_options() const {
  PlanOptions options{checked_playback(*trace_)};
  options.lldu_bytes = checked_count("lldu_bytes_", lldu_bytes_, 1);
  options.packing = packing();
  options.hold_ns = checked_time("hold_", hold_, "0 (no bound) or a time in seconds", longest_time_ns);
  options.in_order = in_order_ != 0;
  return options;
}

void CliftQueue::take(Packet* packet) {
  if (free_ == nullptr) free_ = &places_.emplace_back();
  Place& place = *std::exchange(free_, free_->next_free);
  place.packet = packet;
  QueuedPacket queued = queued_packet(packet);
  queued.handle = &place;
  link().limit_packets(qlim_);
  if (link_->take(queued) == nullptr) {
    follow_up();
    if (link_->pull_ns() <= queued.arrival_ns) pull();
  }
  set_timer();
}

void CliftQueue::pull() {
  link_->pull();
  follow_up();
}

void CliftQueue::follow_up() {
  if (trace_ && link_->stopped()) say_stopped(*trace_);
  if (!link_->dropped().empty()) take_dropped();
}

void CliftQueue::take_dropped() {
  // Dropping a packet may call the queue again.
  const std::vector<DroppedPacket> all = link_->dropped();
  link_->clear_dropped();
  for (const DroppedPacket& dropped : all) drop_for(dropped.cause, released(dropped.packet));
}

// The packet of a place, which then is free for another one.
Packet* CliftQueue::released(const QueuedPacket& packet) {
  auto* const place = static_cast<Place*>(packet.handle);
  place->next_free = std::exchange(free_, place);
  return std::exchange(place->packet, nullptr);
}

Packet* CliftQueue::exchange(Packet* newer, int uid) {
  const PulledPacket* const sent = link_ ? link_->sending() : nullptr;
  for (Place& place : places_) {
    if (place.packet == nullptr || hdr_cmn::access(place.packet)->uid() != uid) continue;
    return sent != nullptr && sent->packet.handle == &place ? nullptr : std::exchange(place.packet, newer);
  }
  return nullptr;
}

// A packet departs, or is pulled; then it may depart at once.
void CliftQueue::proceed() {
  const Nanoseconds due_ns = std::exchange(next_ns_, never);
  if (link_->departure_ns() > due_ns && link_->pull_ns() <= due_ns) pull();
  if (link_->departure_ns() <= due_ns) {
    const PulledPacket& sent = *link_->sending();
    arrival_ns_ = sent.delivery.arrival_ns;
    fate_ = sent.delivery.fate;
    const bool is_marked = sent.packet.is_marked;
    Packet* const packet = released(sent.packet);
    link_->depart();
    if (is_marked) mark(packet);
    send(packet);
  }
  set_timer();
}

void CliftQueue::reset() {
  timer_.cancel();
  next_ns_ = never;
  if (link_) {
    for (const QueuedPacket& packet : link_->take_all(now_ns())) overflow(released(packet));
  }
  Queue::reset();
  if (trace_ || rate_bps_ > 0) begin();
}

void CliftQueue::carry(Packet* packet, Handler* next, double delay_s) {
  settle(packet, fate_, arrival_ns_, next, delay_s);
}

void CliftQueue::add_counters(Counters& counters) {
  const auto use = link_ ? link_->plan().use_until(now_ns()) : std::nullopt;
  add_use(counters, use.value_or(RowUse{}));
}

}  // namespace clift
