#include "core/aqm/fq_codel.h"

#include <algorithm>
#include <utility>

#include "core/setting_table.h"

namespace clift {

namespace {

constexpr std::int64_t most_dropped_at_once = 64;

}  // namespace

void FqCoDelOptions::declare(SettingTable& table) {
  codel.declare(table);
  table.add_whole("flows", flows, 1, 65'536);
  table.add_whole("quantum_bytes", quantum_bytes, 1, 1'048'576);
}

FqCoDel::FqCoDel(const QueueLimits& limits, const FqCoDelOptions& options)
    : Discipline(limits), options_(options), flows_(static_cast<std::size_t>(options.flows)) {}

void FqCoDel::enqueue(const QueuedPacket& packet) {
  const std::size_t number = packet.flow_hash % flows_.size();
  Flow& flow = flows_[number];
  flow.queue.push(packet);
  if (!flow.is_listed) {
    flow.is_listed = true;
    flow.credit_bytes = options_.quantum_bytes;
    new_flows_.push_back(number);
  }
  ++load_.packets;
  load_.bytes += packet.size_bytes;
  while (load_.packets > 0 && !fits(load_)) drop_from_longest();
}

bool FqCoDel::dequeue(Nanoseconds now_ns, QueuedPacket& packet) {
  while (!new_flows_.empty() || !old_flows_.empty()) {
    const bool is_new = !new_flows_.empty();
    std::deque<std::size_t>& list = is_new ? new_flows_ : old_flows_;
    const std::size_t number = list.front();
    Flow& flow = flows_[number];
    const bool has_turn = flow.credit_bytes > 0;
    if (has_turn && take(flow, now_ns, packet)) {
      flow.credit_bytes -= packet.size_bytes;
      return true;
    }
    if (!has_turn) flow.credit_bytes += options_.quantum_bytes;
    list.pop_front();
    // An empty new flow waits behind the old ones: it would otherwise be new again, and before them, at its next packet.
    if (is_new || !has_turn) {
      old_flows_.push_back(number);
    } else {
      flow.is_listed = false;
    }
  }
  return false;
}

bool FqCoDel::take(Flow& flow, Nanoseconds now_ns, QueuedPacket& packet) {
  const Load before = flow.queue.load();
  expire(flow.queue, now_ns);
  const bool found = flow.control.dequeue(flow.queue, now_ns, options_.codel, packet,
                                          [this](QueuedPacket& late) { return mark_or_drop(late); });
  const Load after = flow.queue.load();
  load_.packets -= before.packets - after.packets;
  load_.bytes -= before.bytes - after.bytes;
  return found;
}

void FqCoDel::drop_from_longest() {
  const auto length = [](const Flow& flow) { return std::pair(flow.queue.load().bytes, flow.queue.load().packets); };
  const auto is_shorter = [&](const Flow& a, const Flow& b) { return length(a) < length(b); };
  Fifo& longest = std::max_element(flows_.begin(), flows_.end(), is_shorter)->queue;
  const std::int64_t dropped = std::min((longest.load().packets + 1) / 2, most_dropped_at_once);
  for (std::int64_t i = 0; i < dropped; ++i) {
    const QueuedPacket packet = longest.pop();
    --load_.packets;
    load_.bytes -= packet.size_bytes;
    drop(packet, DropCause::limit);
  }
}

}  // namespace clift
