#include "emulate/link.h"

#include <algorithm>
#include <utility>

namespace clift {

bool Link::Later::operator()(const Outcome& a, const Outcome& b) const {
  return std::pair(a.due_ns, a.packet.record.uid) > std::pair(b.due_ns, b.packet.record.uid);
}

Link::Link(Plan plan, std::int64_t limit_packets, Nanoseconds propagation_ns)
    : plan_(std::move(plan)), limit_packets_(limit_packets), propagation_ns_(propagation_ns) {}

std::optional<EmulatedPacket> Link::take(Nanoseconds now_ns, EmulatedPacket packet) {
  ++counts_.arrived;
  if (queued(now_ns) >= limit_packets_) {
    ++counts_.overflowed;
    return packet;
  }
  const auto size_bytes = static_cast<std::int64_t>(packet.bytes.size());
  const auto delivery = std::visit([&](auto& plan) { return plan.plan(now_ns, size_bytes); }, plan_);
  if (!delivery) {
    ++stuck_packets_;
    return std::nullopt;
  }
  departures_.push_back(delivery->departure_ns);
  outcomes_.push_back({std::move(packet), delivery->fate, sum_of(delivery->arrival_ns, propagation_ns_)});
  std::push_heap(outcomes_.begin(), outcomes_.end(), Later());
  return std::nullopt;
}

std::int64_t Link::queued(Nanoseconds now_ns) {
  while (!departures_.empty() && departures_.front() <= now_ns) departures_.pop_front();
  return static_cast<std::int64_t>(departures_.size()) + stuck_packets_;
}

Nanoseconds Link::next_due_ns() const { return outcomes_.empty() ? never : outcomes_.front().due_ns; }

std::optional<Outcome> Link::outcome(Nanoseconds now_ns) {
  if (next_due_ns() > now_ns || outcomes_.empty()) return std::nullopt;
  std::pop_heap(outcomes_.begin(), outcomes_.end(), Later());
  Outcome next = std::move(outcomes_.back());
  outcomes_.pop_back();
  counts_.lost += next.fate == Fate::lost;
  counts_.unsettled += next.fate == Fate::unsettled;
  if (next.fate == Fate::delivered) {
    ++counts_.delivered;
    counts_.delivered_bytes += static_cast<std::int64_t>(next.packet.bytes.size());
  }
  return next;
}

std::optional<RowUse> Link::row_use(Nanoseconds now_ns) const {
  const auto* plan = std::get_if<DeliveryPlan>(&plan_);
  if (plan == nullptr) return std::nullopt;
  return plan->use_until(now_ns);
}

}  // namespace clift
