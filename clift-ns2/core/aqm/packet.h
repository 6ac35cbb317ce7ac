// A packet in a queue, as disciplines see it.
#pragma once

#include <cstdint>

#include "core/ecn.h"
#include "core/time.h"

namespace clift {

struct QueuedPacket {
  void* handle = nullptr;  // the host's own
  Nanoseconds arrival_ns = 0;
  std::int64_t size_bytes = 0;
  std::uint32_t flow_hash = 0;  // the same for all packets of a flow
  Ecn ecn = Ecn::not_ect;
  bool is_marked = false;  // by the discipline, which sets `ecn` to `ce`
};

struct Load {
  std::int64_t packets = 0;
  std::int64_t bytes = 0;
};

}  // namespace clift
