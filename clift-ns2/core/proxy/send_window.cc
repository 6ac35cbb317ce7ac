#include "core/proxy/send_window.h"

#include <algorithm>

namespace clift::proxy {

void SendWindow::offer(Nanoseconds now_ns, std::int64_t total) {
  total_ = std::max(total_, total);
  update(now_ns);
}

bool SendWindow::on_ack(Nanoseconds now_ns, std::int64_t ack, std::int64_t end) {
  const bool is_new = ack > una_;
  una_ = std::max(una_, ack);
  next_ = std::max(next_, ack);
  end_ = std::max(end_, end);
  update(now_ns);
  return is_new;
}

void SendWindow::on_sent(Nanoseconds now_ns, std::int64_t next) {
  next_ = std::max(next_, next);
  update(now_ns);
}

void SendWindow::on_probe(Nanoseconds now_ns) {
  ++sent_probes_;
  interval_ns_ = std::min(sum_of(interval_ns_, interval_ns_), probes_.most_ns);
  probe_ns_ = sum_of(now_ns, interval_ns_);
}

void SendWindow::update(Nanoseconds now_ns) {
  const bool is_held = total_ > end_ && next_ >= end_;
  if (is_held != is_held_) {
    if (is_held_) held_ns_ += now_ns - held_since_ns_;
    held_since_ns_ = now_ns;
    is_held_ = is_held;
  }
  // While segments are under way, their acknowledgements will advertise the window.
  if (!is_held || una_ < end_) {
    probe_ns_ = never;
  } else if (probe_ns_ == never) {
    interval_ns_ = probes_.first_ns;
    probe_ns_ = sum_of(now_ns, interval_ns_);
  }
}

}  // namespace clift::proxy
