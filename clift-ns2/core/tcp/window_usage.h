// Whether the congestion window, and not application or receiver, has limited the sender in the last round: only then
// may the window grow (RFC 7661, section 4.3; RFC 9438, section 5.8).
#pragma once

#include <algorithm>
#include <cstdint>

namespace clift::tcp {

class WindowUsage {
 public:
  // After an attempt to send. `is_limited`: there was more to send, and the window was full.
  void note(std::int64_t una, std::int64_t next, std::int64_t in_flight, bool is_limited) {
    if (una >= round_end_ || is_limited) {
      round_end_ = next;
      most_in_flight_ = in_flight;
      is_limited_ = is_limited;
    }
    most_in_flight_ = std::max(most_in_flight_, in_flight);
  }

  // In slow start the window may double what was used.
  bool is_limited(double cwnd, bool in_slow_start) const {
    return is_limited_ || (in_slow_start && cwnd < 2.0 * static_cast<double>(most_in_flight_));
  }

 private:
  std::int64_t round_end_ = 0;
  std::int64_t most_in_flight_ = 0;
  bool is_limited_ = false;
};

}  // namespace clift::tcp
