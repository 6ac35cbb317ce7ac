// A sender's half of flow control: how many segments its TCP may be given, by the window that the receiver advertises, and
// when to ask about a window that stays closed (RFC 9293, section 3.8.6.1).
#pragma once

#include <cstdint>

#include "core/time.h"

namespace clift::proxy {

struct ProbeOptions {
  Nanoseconds first_ns = 1'000'000'000;   // after the window has closed; each further probe waits twice as long,
  Nanoseconds most_ns = 60'000'000'000;   // up to this
};

class SendWindow {
 public:
  // Segments before `end` may be sent at first, at least one.
  explicit SendWindow(std::int64_t end, const ProbeOptions& probes = {}) : probes_(probes), end_(end) {}

  // The application has `total` segments, in all.
  void offer(Nanoseconds now_ns, std::int64_t total);

  // An acknowledgement: all segments before `ack` have arrived, those before `end` may be sent. Neither goes back,
  // whatever old acknowledgements say. Returns whether it acknowledges anything new.
  bool on_ack(Nanoseconds now_ns, std::int64_t ack, std::int64_t end);

  // TCP has sent all segments before `next`, at some time.
  void on_sent(Nanoseconds now_ns, std::int64_t next);

  // Segments that TCP may be given, in all.
  std::int64_t allowed() const { return total_ < end_ ? total_ : end_; }

  // When the receiver is to be asked for its window; `never` while that is open or acknowledgements are to come.
  Nanoseconds next_probe_ns() const { return probe_ns_; }

  // A probe is sent: the next one is due later.
  void on_probe(Nanoseconds now_ns);

  // For how long all that the window allows had been sent while more was waiting, until now.
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
  Nanoseconds interval_ns_ = 0;  // to the probe that is due next
  std::int64_t sent_probes_ = 0;
};

}  // namespace clift::proxy
