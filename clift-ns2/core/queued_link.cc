#include "core/queued_link.h"

#include <utility>

namespace clift {

QueuedLink::QueuedLink(LinkPlan plan, const QueueOptions& options, UniformSource uniform)
    : plan_(std::move(plan)),
      discipline_(make_discipline(options.discipline, options.limits, std::move(uniform))),
      limits_count_sending_(options.limits_count_sending),
      pulls_on_arrival_(discipline_->sends_all_in_order() && limits_count_sending_) {}

void QueuedLink::enqueue(QueuedPacket packet) {
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
  const bool found = discipline_->dequeue(pull_ns_, pulled.packet);
  pull_ns_ = never;
  if (!found) {
    sent_.pop_last();
    return nullptr;
  }
  if (!send(pulled)) return nullptr;
  find_pull(free_ns_);
  return &pulled;
}

// The packet that came to the link last finds too few rows.
void QueuedLink::stop(const QueuedPacket& packet) {
  stuck_.push_back(packet);
  sent_.pop_last();
  stopped_ = true;
  pulls_on_arrival_ = false;
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
