// Whether the congestion window, not application or receiver, limited the sender in the last round. The rule is Linux's
// (tcp_cwnd_validate).
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

  bool is_limited() const { return is_limited_; }
  std::int64_t most_outstanding() const { return most_outstanding_; }

 private:
  std::int64_t round_end_ = 0;
  std::int64_t most_outstanding_ = 0;  // sent and not acknowledged in order
  bool is_limited_ = false;
};

}  // namespace clift::tcp
