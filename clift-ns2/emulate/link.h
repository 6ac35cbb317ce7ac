// One direction of a path: a queue with a packet limit and the link behind it. It knows no clock, no device and
// nothing of a packet but its record; the caller says what time it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/delivery_plan.h"
#include "core/schema.h"
#include "core/time.h"
#include "emulate/rate_plan.h"

namespace clift {

// A packet on its way, and its record, which holds the moment at which it was sent and the packet's size.
template <class Payload>
struct EmulatedPacket {
  Payload payload{};
  schema::PacketRecord record{};
};

// The fate of a packet at the far end, and when it is due.
template <class Payload>
struct Outcome {
  EmulatedPacket<Payload> packet;
  Fate fate;
  Nanoseconds due_ns;
};

struct LinkCounts {
  std::int64_t arrived = 0;     // packets that came to the queue
  std::int64_t overflowed = 0;  // dropped because the queue was full
  std::int64_t delivered = 0;
  std::int64_t lost = 0;
  std::int64_t unsettled = 0;
  std::int64_t delivered_bytes = 0;
};

template <class Payload>
class Link {
 public:
  using Packet = EmulatedPacket<Payload>;
  using Plan = std::variant<DeliveryPlan, RatePlan>;

  // At most `limit_packets` in the queue, the one being sent included, as in Queue/Clift and ns-2's DropTail.
  Link(Plan plan, std::int64_t limit_packets, Nanoseconds propagation_ns)
      : plan_(std::move(plan)), limit_packets_(limit_packets), propagation_ns_(propagation_ns) {}

  // Puts a packet into the queue; hands it back when that is full. Times do not decrease.
  std::optional<Packet> take(Nanoseconds now_ns, Packet packet);

  // When the next outcome is due; `never` when there is none to come.
  Nanoseconds next_due_ns() const { return outcomes_.empty() ? never : outcomes_.front().due_ns; }

  // Takes out the next outcome that is due by now, in order of time, then of arrival.
  std::optional<Outcome<Payload>> outcome(Nanoseconds now_ns);

  const LinkCounts& counts() const { return counts_; }
  bool stopped() const { return stuck_packets_ > 0; }

  // How the trace was used until now; nothing for a plain link.
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
  std::deque<Nanoseconds> departures_;  // of the packets in the queue, as far as the trace goes
  std::int64_t stuck_packets_ = 0;      // in the queue behind the end of the trace
  std::vector<Outcome<Payload>> outcomes_;  // a heap, the next one first
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

template <class Payload>
std::int64_t Link<Payload>::queued(Nanoseconds now_ns) {
  while (!departures_.empty() && departures_.front() <= now_ns) departures_.pop_front();
  return static_cast<std::int64_t>(departures_.size()) + stuck_packets_;
}

template <class Payload>
std::optional<Outcome<Payload>> Link<Payload>::outcome(Nanoseconds now_ns) {
  if (next_due_ns() > now_ns || outcomes_.empty()) return std::nullopt;
  std::pop_heap(outcomes_.begin(), outcomes_.end(), Later());
  Outcome<Payload> next = std::move(outcomes_.back());
  outcomes_.pop_back();
  counts_.lost += next.fate == Fate::lost;
  counts_.unsettled += next.fate == Fate::unsettled;
  if (next.fate == Fate::delivered) {
    ++counts_.delivered;
    counts_.delivered_bytes += next.packet.record.size_bytes;
  }
  return next;
}

template <class Payload>
std::optional<RowUse> Link<Payload>::row_use(Nanoseconds now_ns) const {
  const auto* plan = std::get_if<DeliveryPlan>(&plan_);
  if (plan == nullptr) return std::nullopt;
  return plan->use_until(now_ns);
}

}  // namespace clift
