#include "core/online/packet_ledger.h"

#include <algorithm>
#include <utility>

namespace clift {

PacketLedger::PacketLedger(Packing packing, const ResequencerOptions& options, const QueueOptions& queue,
                           UniformSource uniform, bool always_pulls)
    : discipline_(make_discipline(queue.discipline, queue.limits, std::move(uniform))),
      limits_count_sending_(queue.limits_count_sending),
      pulls_on_arrival_(discipline_->sends_all_in_order() && limits_count_sending_ && !always_pulls),
      packing_(packing),
      resequencer_(options) {}

void PacketLedger::add(const QueuedPacket& packet) {
  if (pulls_on_arrival_) {
    // Nothing ever waits in the discipline: no need to put the packet there and take it out again.
    if (discipline_->lets_pass(packet)) hold(packet);
    return;
  }
  if (!waits()) waiting_since_ns_ = packet.arrival_ns;
  discipline_->enqueue(packet);
}

void PacketLedger::find_empty(Nanoseconds free_ns) {
  QueuedPacket none;
  discipline_->dequeue(free_ns, none);
}

bool PacketLedger::pull(Nanoseconds tx_ns) { return head_ < end() || (pulls() && join(tx_ns)); }

// Moves the next packet out of the discipline, if there is one.
bool PacketLedger::join(Nanoseconds now_ns) {
  QueuedPacket packet;
  if (!discipline_->dequeue(now_ns, packet)) return false;
  hold(packet);
  return true;
}

void PacketLedger::hold(const QueuedPacket& packet) {
  const std::int64_t bytes = std::max<std::int64_t>(packet.size_bytes, 1);
  entries_.push_back({packet, bytes, 0, 0, false});
  unsent_bytes_ += bytes;
  count(packet, 1);
}

// Adds what has been pulled (1) or departs (-1).
void PacketLedger::count(const QueuedPacket& packet, int sign) {
  sending_.packets += sign;
  sending_.bytes += sign * packet.size_bytes;
  if (limits_count_sending_) discipline_->count_sending(packet, sign);
}

Unit PacketLedger::take_unit(const Slot& slot) {
  packets_.clear();
  std::int64_t left_bytes = slot.size_bytes;
  bool last = false;
  do {
    Entry& entry = at(head_);
    const std::int64_t bytes = std::min(entry.unsent_bytes, left_bytes);
    entry.unsent_bytes -= bytes;
    unsent_bytes_ -= bytes;
    left_bytes -= bytes;
    ++entry.open_units;
    packets_.push_back(head_);
    last = entry.unsent_bytes == 0;
    if (!last) break;
    departures_.push_back({slot.sent_ns, entry.packet});
    ++head_;
  } while (packing_ == Packing::packed && left_bytes > 0 && pull(slot.tx_ns) && head_arrival_ns() <= slot.tx_ns);
  return {packets_, last, left_bytes};
}

void PacketLedger::settle(std::int64_t packet, Nanoseconds time_ns, bool delivered) {
  Entry& entry = at(packet);
  entry.settled_ns = std::max(entry.settled_ns, time_ns);
  entry.lost |= !delivered;
  if (--entry.open_units > 0 || entry.unsent_bytes > 0) return;
  resequencer_.settle(packet, entry.settled_ns, !entry.lost);
  while (!entries_.empty() && entries_.front().open_units == 0 && entries_.front().unsent_bytes == 0) {
    entries_.pop_front();
    ++first_;
  }
}

std::vector<Departure> PacketLedger::take_departures() { return std::exchange(departures_, {}); }

std::vector<QueuedPacket> PacketLedger::take_all(Nanoseconds now_ns) {
  std::vector<QueuedPacket> all;
  for (const Departure& departure : take_departures()) all.push_back(departure.packet);
  while (join(now_ns)) continue;
  for (; head_ < end(); ++head_) all.push_back(at(head_).packet);
  for (const DroppedPacket& dropped : discipline_->dropped()) all.push_back(dropped.packet);
  discipline_->clear_dropped();
  return all;
}

}  // namespace clift
