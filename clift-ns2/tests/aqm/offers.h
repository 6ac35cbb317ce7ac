// Packets for tests of disciplines.
#pragma once

#include <cstdint>

#include "core/aqm/discipline.h"
#include "tests/milliseconds.h"

namespace clift {

inline QueuedPacket packet_of(Nanoseconds arrival_ns, std::int64_t size_bytes, Ecn ecn = Ecn::not_ect,
                              std::uint32_t flow = 0) {
  QueuedPacket packet;
  packet.arrival_ns = arrival_ns;
  packet.size_bytes = size_bytes;
  packet.flow_hash = flow;
  packet.ecn = ecn;
  return packet;
}

}  // namespace clift
