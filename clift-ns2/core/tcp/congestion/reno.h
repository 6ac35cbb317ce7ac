// Reno's window: RFC 5681, with byte counting (RFC 3465) in packets, without its limit L, as in Linux.
#pragma once

#include "core/tcp/congestion/window_based.h"

namespace clift::tcp {

class Reno : public WindowBased {
 public:
  using WindowBased::WindowBased;

 protected:
  std::int64_t reduced_ssthresh(const CongestionEvent& event) override;
  void avoid_congestion(std::int64_t acked, const AckSample& ack) override;
};

}  // namespace clift::tcp
