// The first phase of Careful Resume (RFC 9959): whether the path is the one that an earlier connection has measured.
#pragma once

#include <optional>

#include "core/tcp/congestion_control.h"

namespace clift::tcp {

class Reconnaissance {
 public:
  Reconnaissance(const SavedPath& saved, std::int64_t initial_window)
      : saved_(saved), initial_window_(initial_window) {}

  // An ACK; `cwnd` is the window that it leaves. The window to jump to, once: all initial data are acknowledged without
  // loss, the window limits the sender, and the path looks as it did. Otherwise the phase goes on, or ends for good.
  std::optional<double> on_ack(const AckSample& ack, double cwnd);

  // Congestion before a jump: there will be none.
  void end() { is_over_ = true; }
  bool is_over() const { return is_over_; }

  // Whether a round-trip time is above half and not above ten times the saved one.
  bool fits(Nanoseconds rtt_ns) const { return rtt_ns > saved_.rtt_ns / 2 && rtt_ns / 10 <= saved_.rtt_ns; }

 private:
  SavedPath saved_;
  std::int64_t initial_window_;
  std::int64_t first_ = -1;  // the first packet with data; -1: none is acknowledged
  bool is_over_ = false;
};

}  // namespace clift::tcp
