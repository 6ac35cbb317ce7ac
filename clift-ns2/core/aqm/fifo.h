// Packets in order, with their number and bytes: what disciplines are made of.
#pragma once

#include <cstdint>

#include "core/aqm/packet.h"
#include "core/ring.h"

namespace clift {

class Fifo {
 public:
  bool empty() const { return packets_.empty(); }
  Load load() const { return {static_cast<std::int64_t>(packets_.size()), bytes_}; }
  const QueuedPacket& front() const { return packets_.front(); }

  void push(const QueuedPacket& packet) {
    packets_.push(packet);
    bytes_ += packet.size_bytes;
  }

  // There is a packet.
  QueuedPacket pop() {
    const QueuedPacket packet = packets_.front();
    packets_.pop();
    bytes_ -= packet.size_bytes;
    return packet;
  }

 private:
  Ring<QueuedPacket> packets_;
  std::int64_t bytes_ = 0;
};

}  // namespace clift
