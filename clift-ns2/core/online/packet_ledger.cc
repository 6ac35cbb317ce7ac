#include "core/online/packet_ledger.h"

#include <algorithm>
#include <utility>

namespace clift {

void PacketLedger::add(Nanoseconds arrival_ns, std::int64_t size_bytes) {
  const std::int64_t bytes = std::max<std::int64_t>(size_bytes, 1);
  entries_.push_back({arrival_ns, bytes, 0, 0, false});
  unsent_bytes_ += bytes;
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
    departures_.push_back(slot.sent_ns);
    ++head_;
  } while (packing_ == Packing::packed && left_bytes > 0 && has_unsent() && head_arrival_ns() <= slot.tx_ns);
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

std::vector<Nanoseconds> PacketLedger::take_departures() { return std::exchange(departures_, {}); }

}  // namespace clift
