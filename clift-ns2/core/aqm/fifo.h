// Packets in order, with their number and bytes: what disciplines are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/aqm/packet.h"

namespace clift {

// A ring that doubles when it is full.
class Fifo {
 public:
  bool empty() const { return count_ == 0; }
  Load load() const { return {static_cast<std::int64_t>(count_), bytes_}; }
  const QueuedPacket& front() const { return ring_[begin_]; }

  void push(const QueuedPacket& packet) {
    if (count_ == ring_.size()) grow();
    ring_[(begin_ + count_++) & (ring_.size() - 1)] = packet;
    bytes_ += packet.size_bytes;
  }

  // There is a packet.
  QueuedPacket pop() {
    const QueuedPacket packet = ring_[begin_];
    begin_ = (begin_ + 1) & (ring_.size() - 1);
    --count_;
    bytes_ -= packet.size_bytes;
    return packet;
  }

 private:
  void grow() {
    std::vector<QueuedPacket> larger(ring_.empty() ? least_places : 2 * ring_.size());
    for (std::size_t i = 0; i < count_; ++i) larger[i] = ring_[(begin_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    begin_ = 0;
  }

  static constexpr std::size_t least_places = 16;  // a power of two, as all sizes

  std::vector<QueuedPacket> ring_;
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace clift
