#include "core/queued_link.h"

#include <utility>

namespace clift {

QueuedLink::QueuedLink(LinkPlan plan, const QueueOptions& options, UniformSource uniform)
    : plan_(std::move(plan)),
      discipline_(make_discipline(options.discipline, options.limits, std::move(uniform))),
      limits_count_sending_(options.limits_count_sending),
      pulls_on_arrival_(discipline_->sends_all_in_order() && limits_count_sending_) {}

void QueuedLink::take(const QueuedPacket& packet) {
  if (pulls_on_arrival_ && !stopped_) {
    // The queue is always empty: no need to put the packet there and take it out again.
    if (!discipline_->lets_pass(packet)) return;
    arrived_ = packet;
    pull_ns_ = packet.arrival_ns;
    return;
  }
  if (discipline_->load().packets == 0) find_empty(packet.arrival_ns);
  discipline_->enqueue(packet);
  if (pull_ns_ == never) find_pull(packet.arrival_ns);
}

// Since the last departure the link may have been ready, and have found the queue empty. Flows then lose their turns.
void QueuedLink::find_empty(Nanoseconds now_ns) {
  const Nanoseconds ready_ns = plan_.begin_ns(free_ns_);
  if (ready_ns >= now_ns) return;
  QueuedPacket none;
  discipline_->dequeue(ready_ns, none);
}

// Finds the next time to pull; `from_ns` is not before the arrival of a packet that waits, or is that of the only one.
void QueuedLink::find_pull(Nanoseconds from_ns) {
  pull_ns_ = never;
  if (stopped_ || discipline_->load().packets == 0) return;
  pull_ns_ = plan_.begin_ns(from_ns);
  stopped_ = pull_ns_ == never;
}

const PulledPacket* QueuedLink::pull() {
  PulledPacket& pulled = sent_.extend();
  auto& [packet, delivery] = pulled;
  if (pulls_on_arrival_) packet = arrived_;
  const bool found = pulls_on_arrival_ || discipline_->dequeue(pull_ns_, packet);
  pull_ns_ = never;
  if (!found) {
    sent_.pop_last();
    return nullptr;
  }
  count(packet, 1);
  if (!plan_.plan(packet.arrival_ns, packet.size_bytes, delivery)) {
    stuck_.push_back(packet);
    sent_.pop_last();
    stopped_ = true;
    return nullptr;
  }
  free_ns_ = delivery.departure_ns;
  if (!pulls_on_arrival_) find_pull(free_ns_);
  return &pulled;
}

void QueuedLink::depart() {
  count(sent_.front().packet, -1);
  sent_.pop();
}

void QueuedLink::count(const QueuedPacket& packet, int sign) {
  sending_.packets += sign;
  sending_.bytes += sign * packet.size_bytes;
  if (limits_count_sending_) discipline_->set_sending(sending_);
}

std::vector<QueuedPacket> QueuedLink::take_all(Nanoseconds now_ns) {
  std::vector<QueuedPacket> all = std::move(stuck_);
  for (; !sent_.empty(); sent_.pop()) all.push_back(sent_.front().packet);
  for (QueuedPacket packet; discipline_->dequeue(now_ns, packet);) all.push_back(packet);
  for (const DroppedPacket& dropped : discipline_->dropped()) all.push_back(dropped.packet);
  clear_dropped();
  return all;
}

}  // namespace clift
