// Whether the congestion window, not application or receiver, limited the sender in the last round: only then may the
// window grow (RFC 7661, section 4.3; RFC 9438, section 5.8). The rule is Linux's (tcp_cwnd_validate).
#pragma once

#include <cstdint>

namespace clift::tcp {

class WindowUsage {
 public:
  // After an attempt to send. `is_limited`: the flight fills the window.
  void note(std::int64_t una, std::int64_t next, bool is_limited) {
    const std::int64_t outstanding = next - una;
    if (una < round_end_ && !is_limited && (is_limited_ || outstanding <= most_outstanding_)) return;
    round_end_ = next;
    most_outstanding_ = outstanding;
    is_limited_ = is_limited;
  }

  // In slow start the window may grow to twice the flight that was used.
  bool is_limited(double cwnd, bool in_slow_start) const {
    return is_limited_ || (in_slow_start && cwnd < 2.0 * static_cast<double>(most_outstanding_));
  }

 private:
  std::int64_t round_end_ = 0;
  std::int64_t most_outstanding_ = 0;  // sent and not acknowledged in order
  bool is_limited_ = false;
};

}  // namespace clift::tcp
