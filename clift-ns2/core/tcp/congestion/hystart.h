// HyStart++ (RFC 9406): leaves slow start when the round-trip time grows, before the queue overflows.
#pragma once

#include <cstdint>
#include <optional>

#include "core/time.h"

namespace clift::tcp {

// Slow start, then conservative slow start (CSS), then done. Meant for a connection's first slow start (section 4.2).
class HyStart {
 public:
  // `most_per_ack`: L of the RFC, the segments that one acknowledgement may add at most.
  explicit HyStart(double most_per_ack) : most_per_ack_(most_per_ack) {}

  // An acknowledgement of new data and its RTT sample; it may start a round of packet time.
  void on_ack(bool round_begins, std::optional<Nanoseconds> rtt_ns);

  // Segments by which the window grows for `newly_acked` segments.
  double growth(double newly_acked) const;

  bool conservative() const { return css_baseline_ns_ != never; }
  bool done() const { return done_; }

 private:
  double most_per_ack_;
  Nanoseconds last_round_min_ns_ = never;
  Nanoseconds round_min_ns_ = never;
  Nanoseconds css_baseline_ns_ = never;
  int samples_ = 0;
  int css_rounds_ = 0;
  bool done_ = false;
};

}  // namespace clift::tcp
