// One direction of a path: a queue, the link behind it, and what happens to packets. It uses no clock and no device, and
// only the record of a packet; the caller passes the time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/link_counts.h"
#include "core/propagation.h"
#include "core/queued_link.h"
#include "core/schema.h"
#include "core/time.h"

namespace clift {

// A packet under way, and its record with sending time and size.
template <class Payload>
struct EmulatedPacket {
  Payload payload{};
  schema::PacketRecord record{};
  Ecn ecn = Ecn::not_ect;  // as it comes to the queue
};

// The fate of a packet at the receiver, and its due time.
template <class Payload>
struct Outcome {
  EmulatedPacket<Payload> packet;
  Fate fate;
  Nanoseconds due_ns;
  bool is_marked;  // by the queue's discipline
};

// The queue has dropped a packet (`queue_dropped`, `aqm_dropped`), or marked one, of which only the record is here.
template <class Payload>
struct QueueEvent {
  EmulatedPacket<Payload> packet;
  schema::PacketEvent event;
  Nanoseconds time_ns;
};

template <class Payload>
class Link {
 public:
  using Packet = EmulatedPacket<Payload>;

  Link(LinkPlan plan, const QueueOptions& queue, Propagation propagation, UniformSource uniform = {})
      : line_(std::move(plan), queue, std::move(uniform)), propagation_(std::move(propagation)) {}

  // Adds a packet to the queue. Times must not decrease. Then call `queue_event`.
  void take(Nanoseconds now_ns, Packet packet);

  // When `outcome` or `queue_event` may have something; `never` without a packet under way.
  Nanoseconds next_due_ns() const;

  // Removes and returns the next outcome that is due by `now_ns`, in order of time, then of arrival. Then call
  // `queue_event`.
  std::optional<Outcome<Payload>> outcome(Nanoseconds now_ns);

  // Removes and returns the next event of the queue so far, in order of time.
  std::optional<QueueEvent<Payload>> queue_event();

  const LinkCounts& counts() const { return counts_; }
  // Whether this packet is in the queue behind the one that is being sent.
  bool waits(Nanoseconds now_ns, std::int64_t uid);

  bool stopped() const { return line_.stopped(); }

  // When the link begins to send a packet that comes next; for a host that lets none wait here.
  Nanoseconds ready_ns() const { return line_.ready_ns(); }

  // Use of the trace until `now_ns`; nothing for a plain link.
  std::optional<RowUse> row_use(Nanoseconds now_ns) const { return line_.plan().use_until(now_ns); }

 private:
  struct Later {
    bool operator()(const Outcome<Payload>& a, const Outcome<Payload>& b) const {
      return std::pair(a.due_ns, a.packet.record.uid) > std::pair(b.due_ns, b.packet.record.uid);
    }
  };

  // Lets the link do everything until `now_ns`, each at its own time: nothing depends on when this is called.
  void advance(Nanoseconds now_ns);
  void pulled(Nanoseconds now_ns, const PulledPacket& sent);
  void take_dropped(Nanoseconds now_ns);

  // The packet of a handle, which then is free for another one.
  Packet released(void* handle);

  QueuedLink line_;
  Propagation propagation_;
  std::deque<Packet> places_;               // of the packets in the queue; they do not move
  std::vector<Packet*> free_places_;
  std::vector<Outcome<Payload>> outcomes_;  // of packets that were pulled: a heap with the next outcome first
  std::deque<QueueEvent<Payload>> events_;
  std::deque<std::int64_t> on_link_;        // numbers of the packets that were pulled and have not departed
  LinkCounts counts_;
};

template <class Payload>
void Link<Payload>::take(Nanoseconds now_ns, Packet packet) {
  advance(now_ns);
  ++counts_.arrived;
  if (free_places_.empty()) free_places_.push_back(&places_.emplace_back());
  Packet* const place = free_places_.back();
  free_places_.pop_back();
  *place = std::move(packet);
  QueuedPacket queued;
  queued.handle = place;
  queued.arrival_ns = now_ns;
  queued.size_bytes = place->record.size_bytes;
  queued.flow_hash = place->record.flow;
  queued.ecn = place->ecn;
  if (const PulledPacket* sent = line_.take(queued)) pulled(now_ns, *sent);
  take_dropped(now_ns);
  advance(now_ns);
}

template <class Payload>
void Link<Payload>::advance(Nanoseconds now_ns) {
  for (;;) {
    const Nanoseconds departure_ns = line_.departure_ns(), pull_ns = line_.pull_ns();
    if (std::min(departure_ns, pull_ns) > now_ns || std::min(departure_ns, pull_ns) == never) return;
    if (departure_ns <= pull_ns) {
      line_.depart();
      on_link_.pop_front();
    } else {
      const PulledPacket* sent = line_.pull();
      take_dropped(pull_ns);
      if (sent != nullptr) pulled(pull_ns, *sent);
    }
  }
}

template <class Payload>
void Link<Payload>::pulled(Nanoseconds now_ns, const PulledPacket& sent) {
  const auto& [packet, delivery] = sent;
  const Nanoseconds due_ns = propagation_.arrival_ns(delivery.arrival_ns);
  on_link_.push_back(static_cast<Packet*>(packet.handle)->record.uid);
  outcomes_.push_back({released(packet.handle), delivery.fate, due_ns, packet.is_marked});
  if (packet.is_marked) {
    ++counts_.marked;
    events_.push_back({{Payload{}, outcomes_.back().packet.record}, schema::PacketEvent::marked, now_ns});
  }
  std::push_heap(outcomes_.begin(), outcomes_.end(), Later());
}

template <class Payload>
void Link<Payload>::take_dropped(Nanoseconds now_ns) {
  for (const DroppedPacket& dropped : line_.dropped()) {
    counts_.drop(dropped.cause);
    events_.push_back({released(dropped.packet.handle), event_of(dropped.cause), now_ns});
  }
  line_.clear_dropped();
}

template <class Payload>
auto Link<Payload>::released(void* handle) -> Packet {
  auto* const place = static_cast<Packet*>(handle);
  free_places_.push_back(place);
  Packet packet = std::move(*place);
  place->record.uid = -1;
  return packet;
}

template <class Payload>
Nanoseconds Link<Payload>::next_due_ns() const {
  return std::min(outcomes_.empty() ? never : outcomes_.front().due_ns, line_.pull_ns());
}

template <class Payload>
bool Link<Payload>::waits(Nanoseconds now_ns, std::int64_t uid) {
  advance(now_ns);
  if (!on_link_.empty() && std::find(on_link_.begin() + 1, on_link_.end(), uid) != on_link_.end()) return true;
  return std::any_of(places_.begin(), places_.end(), [uid](const Packet& one) { return one.record.uid == uid; });
}

template <class Payload>
std::optional<Outcome<Payload>> Link<Payload>::outcome(Nanoseconds now_ns) {
  advance(now_ns);
  if (outcomes_.empty() || outcomes_.front().due_ns > now_ns) return std::nullopt;
  std::pop_heap(outcomes_.begin(), outcomes_.end(), Later());
  Outcome<Payload> next = std::move(outcomes_.back());
  outcomes_.pop_back();
  counts_.settle(next.fate, next.packet.record.size_bytes);
  return next;
}

template <class Payload>
std::optional<QueueEvent<Payload>> Link<Payload>::queue_event() {
  if (events_.empty()) return std::nullopt;
  QueueEvent<Payload> first = std::move(events_.front());
  events_.pop_front();
  return first;
}

}  // namespace clift
