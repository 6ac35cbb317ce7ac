// One direction of a path: a queue with a packet limit and the link behind it. It uses no clock and no device, and only
// the record of a packet; the caller passes the time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/delivery_plan.h"
#include "core/link_counts.h"
#include "core/schema.h"
#include "core/time.h"
#include "emulate/rate_plan.h"

namespace clift {

// A packet under way, and its record with sending time and size.
template <class Payload>
struct EmulatedPacket {
  Payload payload{};
  schema::PacketRecord record{};
};

// The fate of a packet at the receiver, and its due time.
template <class Payload>
struct Outcome {
  EmulatedPacket<Payload> packet;
  Fate fate;
  Nanoseconds due_ns;
};

template <class Payload>
class Link {
 public:
  using Packet = EmulatedPacket<Payload>;
  using Plan = std::variant<DeliveryPlan, RatePlan>;

  // The queue holds at most `limit_packets`, the one being sent included, as in Queue/Clift and ns-2's DropTail.
  Link(Plan plan, std::int64_t limit_packets, Nanoseconds propagation_ns)
      : plan_(std::move(plan)), limit_packets_(limit_packets), propagation_ns_(propagation_ns) {}

  // Adds a packet to the queue; returns it if the queue is full. Times must not decrease.
  std::optional<Packet> take(Nanoseconds now_ns, Packet packet);

  // Due time of the next outcome; `never` without one.
  Nanoseconds next_due_ns() const { return outcomes_.empty() ? never : outcomes_.front().due_ns; }

  // Removes and returns the next outcome that is due by `now_ns`, in order of time, then of arrival.
  std::optional<Outcome<Payload>> outcome(Nanoseconds now_ns);

  const LinkCounts& counts() const { return counts_; }
  // Whether this packet is in the queue behind the one that is being sent.
  bool waits(Nanoseconds now_ns, std::int64_t uid);

  bool stopped() const { return stuck_packets_ > 0; }

  // Use of the trace until `now_ns`; nothing for a plain link.
  std::optional<RowUse> row_use(Nanoseconds now_ns) const;

 private:
  struct Later {
    bool operator()(const Outcome<Payload>& a, const Outcome<Payload>& b) const {
      return std::pair(a.due_ns, a.packet.record.uid) > std::pair(b.due_ns, b.packet.record.uid);
    }
  };

  std::int64_t queued(Nanoseconds now_ns);

  Plan plan_;
  std::int64_t limit_packets_;
  Nanoseconds propagation_ns_;
  std::deque<std::pair<Nanoseconds, std::int64_t>> departures_;  // of the queue's packets, up to the trace's end: time, uid
  std::int64_t stuck_packets_ = 0;      // packets that stay in the queue after the trace's end
  std::vector<Outcome<Payload>> outcomes_;  // a heap with the next outcome first
  LinkCounts counts_;
};

template <class Payload>
auto Link<Payload>::take(Nanoseconds now_ns, Packet packet) -> std::optional<Packet> {
  ++counts_.arrived;
  if (queued(now_ns) >= limit_packets_) {
    ++counts_.overflowed;
    return packet;
  }
  const std::int64_t size_bytes = packet.record.size_bytes;
  Delivery delivery;
  if (!std::visit([&](auto& plan) { return plan.plan(now_ns, size_bytes, delivery); }, plan_)) {
    ++stuck_packets_;
    return std::nullopt;
  }
  departures_.emplace_back(delivery.departure_ns, std::int64_t{packet.record.uid});
  outcomes_.push_back({std::move(packet), delivery.fate, sum_of(delivery.arrival_ns, propagation_ns_)});
  std::push_heap(outcomes_.begin(), outcomes_.end(), Later());
  return std::nullopt;
}

template <class Payload>
std::int64_t Link<Payload>::queued(Nanoseconds now_ns) {
  while (!departures_.empty() && departures_.front().first <= now_ns) departures_.pop_front();
  return static_cast<std::int64_t>(departures_.size()) + stuck_packets_;
}

template <class Payload>
bool Link<Payload>::waits(Nanoseconds now_ns, std::int64_t uid) {
  if (queued(now_ns) < 2) return false;
  const auto is_it = [uid](const auto& departure) { return departure.second == uid; };
  return std::any_of(departures_.begin() + 1, departures_.end(), is_it);
}

template <class Payload>
std::optional<Outcome<Payload>> Link<Payload>::outcome(Nanoseconds now_ns) {
  if (next_due_ns() > now_ns || outcomes_.empty()) return std::nullopt;
  std::pop_heap(outcomes_.begin(), outcomes_.end(), Later());
  Outcome<Payload> next = std::move(outcomes_.back());
  outcomes_.pop_back();
  counts_.settle(next.fate, next.packet.record.size_bytes);
  return next;
}

template <class Payload>
std::optional<RowUse> Link<Payload>::row_use(Nanoseconds now_ns) const {
  const auto* plan = std::get_if<DeliveryPlan>(&plan_);
  if (plan == nullptr) return std::nullopt;
  return plan->use_until(now_ns);
}

}  // namespace clift
