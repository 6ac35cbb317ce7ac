#include "core/proxy/relay.h"

#include <algorithm>

namespace clift::proxy {

Arrival Relay::on_segment(Nanoseconds now_ns, std::int64_t sequence, const Origin& origin) {
  if (sequence < next_ || holds(sequence)) {
    ++duplicates_;
    return Arrival::duplicate;
  }
  if (sequence >= window_end()) {
    ++refused_;
    return Arrival::refused;
  }
  if (sequence >= end()) slots_.resize(static_cast<std::size_t>(sequence - una_ + 1));
  at(sequence) = {true, origin};
  most_fill_ = std::max(most_fill_, ++fill_);
  const std::int64_t before = next_;
  while (holds(next_)) ++next_;
  if (next_ > before) batches_.push_back({sum_of(now_ns, options_.delay_ns), next_});
  return Arrival::stored;
}

void Relay::on_forwarded(std::int64_t una) {
  // Segments that were not forwarded cannot have arrived.
  for (una = std::min(una, released_); una_ < una; ++una_) {
    slots_.pop_front();
    --fill_;
  }
}

std::int64_t Relay::released(Nanoseconds now_ns) {
  while (!batches_.empty() && batches_.front().time_ns <= now_ns) {
    released_ = batches_.front().end;
    batches_.pop_front();
  }
  return released_;
}

bool Relay::owes_update() const {
  const std::int64_t left = std::max<std::int64_t>(told_ - next_, 0);
  return window_end() > told_ && window_end() - next_ >= 2 * left;
}

bool Relay::holds(std::int64_t sequence) const { return sequence >= una_ && sequence < end() && at(sequence).arrived; }

}  // namespace clift::proxy
