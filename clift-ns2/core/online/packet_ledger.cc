#include "core/online/packet_ledger.h"

#include <algorithm>
#include <utility>

namespace clift {

void PacketLedger::add(Nanoseconds arrival_ns, std::int64_t units) {
  entries_.push_back({arrival_ns, units, units, 0, false});
}

Unit PacketLedger::take_unit(Nanoseconds sent_ns) {
  const Unit unit{head_, --at(head_).unsent == 0};
  if (unit.last) {
    departures_.push_back({unit.packet, sent_ns});
    ++head_;
  }
  return unit;
}

void PacketLedger::settle(std::int64_t packet, Nanoseconds time_ns, bool delivered) {
  Entry& entry = at(packet);
  entry.settled_ns = std::max(entry.settled_ns, time_ns);
  entry.lost |= !delivered;
  if (--entry.open > 0) return;
  resequencer_.settle(packet, entry.settled_ns, !entry.lost);
  while (!entries_.empty() && entries_.front().open == 0) {
    entries_.pop_front();
    ++first_;
  }
}

std::vector<Departure> PacketLedger::take_departures() { return std::exchange(departures_, {}); }

}  // namespace clift
