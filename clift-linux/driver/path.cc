#include "path.h"

#include <algorithm>
#include <utility>

#include "core/input_error.h"

namespace clift {

void PathOptions::declare(SettingTable& table) {
  core.declare(table);
  table.add_whole("seed", seed, 0, most_setting);
  table.add_flag("ack_filter", filters_acks);
  table.add_whole("ack_interval_ns", ack_interval_ns, 0, most_setting);
}

Path::Path(const PathOptions& options, Records& records) : options_(options), records_(records) {
  for (int direction = 0; direction < CLIFT_DIRECTIONS; ++direction) links_.push_back(link_of(direction));
  if (options_.ack_interval_ns > 0) ack_spacing_.emplace(options_.ack_interval_ns);
}

Path::Link Path::link_of(int direction) {
  const LinkSettings& link = options_.core.links[direction];
  auto& trace = traces_[static_cast<std::size_t>(direction)];
  trace = link.opened();
  return {link.plan(trace.get()), options_.core.queue, options_.core.propagation(),
          seeded_uniform(static_cast<std::uint64_t>(CLIFT_DIRECTIONS * options_.seed + direction))};
}

void Path::take(PacketInHand packet) {
  const Nanoseconds now_ns = packet->record.time_ns;
  if (packet->before_ns == 0) {
    enter_link(std::move(packet), now_ns);
  } else {
    const Nanoseconds entry_ns = now_ns + packet->before_ns;
    access_of(packet->record.direction).before.emplace(entry_ns, std::move(packet));
  }
}

void Path::drop(PacketInHand packet, schema::PacketEvent event, Nanoseconds now_ns) {
  records_.add_in_order(packet->record, event, now_ns);
  dropped_.push_back(packet->handle);
}

void* Path::dropped() {
  if (dropped_.empty()) return nullptr;
  void* handle = dropped_.back();
  dropped_.pop_back();
  return handle;
}

// Records drops and marks of a link's queue, which have happened by now.
void Path::record_queue(Link& link, Nanoseconds now_ns) {
  while (auto found = link.queue_event()) {
    const Nanoseconds time_ns = std::min(found->time_ns, now_ns);
    if (found->event != schema::PacketEvent::marked) {
      drop(std::move(found->packet.payload), found->event, time_ns);
    } else {
      records_.add_in_order(found->packet.record, found->event, time_ns);
    }
  }
}

void Path::join_link(PacketInHand packet, Nanoseconds now_ns) {
  Link& link = link_to(packet->record.direction);
  Link::Packet queued;
  queued.record = packet->record;
  queued.ecn = packet->ecn;
  queued.payload = std::move(packet);
  link.take(now_ns, std::move(queued));
  record_queue(link, now_ns);
}

void Path::join_queue(PacketInHand packet, Nanoseconds now_ns) {
  if (!options_.has_own_queue) return join_link(std::move(packet), now_ns);
  void* const handle = packet->handle;
  packet->offered_ns = now_ns;
  offered_[packet->record.direction].push_back(handle);
  in_queue_[handle] = std::move(packet);
}

void* Path::offered(int direction) {
  auto& offered = offered_[static_cast<std::size_t>(direction)];
  if (offered.empty()) return nullptr;
  void* handle = offered.front();
  offered.pop_front();
  return handle;
}

PacketInHand Path::out_of_queue(void* handle) {
  auto found = in_queue_.extract(handle);
  if (found.empty()) throw InputError("the kernel's queue", "gives a packet that it has not taken");
  return std::move(found.mapped());
}

void Path::carry(Nanoseconds now_ns, void* handle, Ecn ecn) {
  PacketInHand packet = out_of_queue(handle);
  if (ecn != packet->ecn) records_.add(packet->record, schema::PacketEvent::marked, now_ns);
  packet->ecn = ecn;
  // The kernel's timer is a nanosecond late; the link has been ready since.
  const Nanoseconds begin_ns = std::max(packet->offered_ns, std::min(ready_ns(packet->record.direction), now_ns));
  join_link(std::move(packet), begin_ns);
}

void Path::queue_dropped(Nanoseconds now_ns, void* handle, schema::PacketEvent event) {
  ++queue_drops_;
  records_.add(out_of_queue(handle)->record, event, now_ns);
}

// A packet comes to the return link's queue behind the filter.
void Path::join_filtered(PacketInHand packet, Nanoseconds now_ns) {
  const AckView view = packet->view;
  QueuePlace own{packet->record.uid, packet.get()};
  const auto place = ack_filter_.place_for(view);
  if (place && link_to(CLIFT_RETURN).waits(now_ns, place->uid)) {
    std::swap(*packet, *place->packet);
    ack_filter_.joined(view, *place);
    drop(std::move(packet), schema::PacketEvent::ack_thinned, now_ns);
    return;
  }
  const std::size_t dropped = dropped_.size();
  join_queue(std::move(packet), now_ns);
  if (dropped_.size() == dropped) ack_filter_.joined(view, own);
}

// The held ACKs that are due by now join the queue.
void Path::release_acks(Nanoseconds now_ns) {
  if (!ack_spacing_) return;
  ack_spacing_->release(now_ns);
  for (auto& passed : ack_spacing_->take_passed()) join_queue(std::move(passed.packet), passed.time_ns);
}

void Path::space(PacketInHand packet, Nanoseconds now_ns) {
  const AckView view = packet->view;
  auto replaced = ack_spacing_->arrive(now_ns, view, std::move(packet));
  if (replaced) drop(std::move(*replaced), schema::PacketEvent::ack_thinned, now_ns);
  for (auto& passed : ack_spacing_->take_passed()) join_queue(std::move(passed.packet), passed.time_ns);
}

// A packet comes to the link of its direction.
void Path::enter_link(PacketInHand packet, Nanoseconds now_ns) {
  const bool returns = packet->record.direction == CLIFT_RETURN;
  if (returns) release_acks(now_ns);
  if (returns && ack_spacing_) {
    space(std::move(packet), now_ns);
  } else if (returns && options_.filters_acks) {
    join_filtered(std::move(packet), now_ns);
  } else {
    join_queue(std::move(packet), now_ns);
  }
}

Nanoseconds Path::next_due_ns(int direction) const {
  const Nanoseconds held_ns = direction == CLIFT_RETURN && ack_spacing_ ? ack_spacing_->next_ns() : never;
  return std::min({link_to(direction).next_due_ns(), access_[static_cast<std::size_t>(direction)].next_ns(), held_ns});
}

clift_fate Path::due(Nanoseconds now_ns, int direction, void** handle) {
  Link& link = link_to(direction);
  Access& access = access_of(direction);
  while (!access.before.empty() && access.before.begin()->first <= now_ns) {
    auto entering = access.before.extract(access.before.begin());
    enter_link(std::move(entering.mapped()), entering.key());
  }
  if (direction == CLIFT_RETURN) release_acks(now_ns);
  while (auto outcome = link.outcome(now_ns)) {
    record_queue(link, now_ns);
    PacketInHand& packet = outcome->packet.payload;
    const bool delivered = outcome->fate == Fate::delivered;
    if (outcome->is_marked) clift_mark(packet->handle);
    if (delivered && packet->behind_ns > 0) {
      const Nanoseconds arrival_ns = outcome->due_ns + packet->behind_ns;
      access.behind.emplace(arrival_ns, std::move(packet));
      continue;
    }
    *handle = packet->handle;
    records_.add_arrival(now_ns, outcome->due_ns, packet->record,
                         delivered                     ? schema::PacketEvent::received
                         : outcome->fate == Fate::lost ? schema::PacketEvent::link_lost
                                                       : schema::PacketEvent::link_unsettled);
    return delivered ? CLIFT_DELIVERED : CLIFT_GIVEN_UP;
  }
  record_queue(link, now_ns);
  if (access.behind.empty() || access.behind.begin()->first > now_ns) return CLIFT_NOTHING_DUE;
  const auto arrived = access.behind.extract(access.behind.begin());
  *handle = arrived.mapped()->handle;
  records_.add_arrival(now_ns, arrived.key(), arrived.mapped()->record, schema::PacketEvent::received);
  return CLIFT_DELIVERED;
}

void Path::count(Counters& counters, const std::string& prefix, Nanoseconds now_ns) const {
  for (const int direction : {CLIFT_FORWARD, CLIFT_RETURN}) {
    const auto use = link_to(direction).row_use(now_ns);
    if (!use) continue;
    const std::string name = prefix + (direction == CLIFT_FORWARD ? "forward" : "return");
    counters.insert(counters.end(), {{name + "_rows_offered", use->offered},
                                     {name + "_rows_used", use->used},
                                     {name + "_bytes_offered", use->offered_bytes},
                                     {name + "_bytes_used", use->used_bytes},
                                     {name + "_trace_repeats", use->repeats}});
  }
}

}  // namespace clift
