#include "core/online/resequencer.h"

#include <algorithm>
#include <utility>

namespace clift {

void Resequencer::settle(std::int64_t packet, Nanoseconds time_ns, bool delivered) {
  if (!options_.in_order) {
    released_.push_back({packet, time_ns, delivered});
    return;
  }
  const auto place = static_cast<std::size_t>(packet - first_);
  if (place >= entries_.size()) entries_.resize(place + 1);
  Entry& settled = entries_[place];
  settled.time_ns = time_ns;
  settled.settled = true;
  settled.delivered = delivered;
  if (!delivered) release(packet, settled, time_ns);
  if (delivered && options_.hold_ns > 0) expiries_.emplace(longest_ns(settled), packet);
  while (!entries_.empty() && entries_.front().settled) {
    Entry& entry = entries_.front();
    settled_ns_ = std::max(settled_ns_, entry.time_ns);
    if (!entry.released) release(first_, entry, std::min(settled_ns_, longest_ns(entry)));
    entries_.pop_front();
    ++first_;
  }
  forget_released();
}

void Resequencer::expire(Nanoseconds now_ns) {
  while (next_expiry_ns() <= now_ns) {
    const auto [time_ns, packet] = expiries_.top();
    release(packet, entries_[static_cast<std::size_t>(packet - first_)], time_ns);
    forget_released();
  }
}

Nanoseconds Resequencer::longest_ns(const Entry& entry) const {
  return options_.hold_ns > 0 ? sum_of(entry.time_ns, options_.hold_ns) : never;
}

void Resequencer::forget_released() {
  while (!expiries_.empty()) {
    const std::int64_t packet = expiries_.top().second;
    if (packet >= first_ && !entries_[static_cast<std::size_t>(packet - first_)].released) return;
    expiries_.pop();
  }
}

std::vector<Release> Resequencer::take_released() { return std::exchange(released_, {}); }

void Resequencer::release(std::int64_t packet, Entry& entry, Nanoseconds time_ns) {
  entry.released = true;
  released_.push_back({packet, time_ns, entry.delivered});
}

}  // namespace clift
