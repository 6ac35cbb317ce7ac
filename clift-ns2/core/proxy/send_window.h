// Flow control of a sender: the number of segments that the receiver's advertised window allows, and the times of
// probes for a window that stays closed (RFC 9293, section 3.8.6.1).
#pragma once

#include <cstdint>

#include "core/time.h"

namespace clift::proxy {

struct ProbeOptions {
  Nanoseconds first_ns = 1'000'000'000;   // from the window's closing to the first probe; then the interval doubles
  Nanoseconds most_ns = 60'000'000'000;   // upper bound of the interval
};

class SendWindow {
 public:
  // `end`: the initial window's end; it allows at least one segment.
  explicit SendWindow(std::int64_t end, const ProbeOptions& probes = {}) : probes_(probes), end_(end) {}

  // The application has offered `total` segments so far.
  void offer(Nanoseconds now_ns, std::int64_t total);

  // An acknowledgement: all segments before `ack` have arrived, those before `end` may be sent. Old acknowledgements
  // decrease neither. Returns whether it acknowledges new segments.
  bool on_ack(Nanoseconds now_ns, std::int64_t ack, std::int64_t end);

  // TCP has sent all segments before `next`.
  void on_sent(Nanoseconds now_ns, std::int64_t next);

  // Number of segments that TCP may have so far.
  std::int64_t allowed() const { return total_ < end_ ? total_ : end_; }

  // Time of the next window probe; `never` while the window is open or acknowledgements are outstanding.
  Nanoseconds next_probe_ns() const { return probe_ns_; }

  // A probe is sent: schedules the next one.
  void on_probe(Nanoseconds now_ns);

  // Time until now in which the window was exhausted while more segments were waiting.
  Nanoseconds held_ns(Nanoseconds now_ns) const { return held_ns_ + (is_held_ ? now_ns - held_since_ns_ : 0); }

  std::int64_t una() const { return una_; }
  std::int64_t total() const { return total_; }
  std::int64_t probes() const { return sent_probes_; }
  bool is_held() const { return is_held_; }

 private:
  void update(Nanoseconds now_ns);

  ProbeOptions probes_;
  std::int64_t end_;
  std::int64_t total_ = 0;
  std::int64_t una_ = 0;
  std::int64_t next_ = 0;
  bool is_held_ = false;
  Nanoseconds held_since_ns_ = 0;
  Nanoseconds held_ns_ = 0;
  Nanoseconds probe_ns_ = never;
  Nanoseconds interval_ns_ = 0;  // interval before the next probe
  std::int64_t sent_probes_ = 0;
};

}  // namespace clift::proxy
