// The first slow start of a connection, and when it ends before a loss.
#pragma once

#include <optional>

#include "core/tcp/congestion/hystart.h"
#include "core/tcp/congestion/search.h"
#include "core/tcp/congestion_control.h"

namespace clift::tcp {

class FirstSlowStart {
 public:
  explicit FirstSlowStart(SlowStart kind);

  void on_established(Nanoseconds now_ns, Nanoseconds rtt_ns);

  // Packets by which the window grows for `acked` packets.
  double growth(double acked) const;

  // An ACK, after the window has grown for it (RFC 9406, section 4.2). The window to go on with, when slow start ends.
  std::optional<double> end(const AckSample& ack, double cwnd);

 private:
  SlowStart kind_;
  HyStart hystart_;
  Search search_;
  std::int64_t round_end_ = 0;  // its acknowledgement begins the next round
};

}  // namespace clift::tcp
