// The window that a receiver advertises: its buffer grows with the data of a round trip, up to a limit, as Linux's does
// (tcp_rmem, tcp_moderate_rcvbuf). The application reads data at once, so that only packets beyond a hole fill it.
#pragma once

#include <cstdint>

#include "core/time.h"

namespace clift::tcp {

struct ReceiveWindowOptions {
  std::int64_t most_bytes = 0;     // largest buffer, in the kernel's account of memory
  std::int64_t payload_bytes = 0;  // of a full packet
  std::int64_t packet_bytes = 0;   // IP size of a full packet
  std::int64_t first_bytes = 131'072;  // the buffer before it grows (tcp_rmem, second number)
};

class ReceiveWindow {
 public:
  explicit ReceiveWindow(const ReceiveWindowOptions& options);

  // A packet with data has arrived. `ack`: the first missing packet; `held`: packets beyond it; `rtt_ns`: sample of the
  // round-trip time, -1: none. Returns whether the window that it will advertise has grown.
  bool on_packet(Nanoseconds now_ns, std::int64_t ack, std::int64_t held, Nanoseconds rtt_ns);

  // Returns the first packet beyond the window, for an acknowledgement that is sent now. It never decreases.
  std::int64_t advertise(std::int64_t ack, std::int64_t held);

  // Whether packets beyond a hole take more than half of the buffer.
  bool is_tight(std::int64_t held) const { return window_in(free_bytes(held)) < window_in(buffer_bytes_) / 2; }

  std::int64_t buffer_bytes() const { return buffer_bytes_; }

 private:
  std::int64_t window_in(std::int64_t memory_bytes) const { return memory_bytes * scale_ / scale_unit; }
  std::int64_t memory_for(std::int64_t window_bytes) const { return window_bytes * scale_unit / scale_; }
  std::int64_t free_bytes(std::int64_t held) const;
  void sample(Nanoseconds rtt_ns);
  void right_size(Nanoseconds now_ns, std::int64_t ack);

  static constexpr std::int64_t scale_unit = 256;  // the kernel's scaling_ratio

  ReceiveWindowOptions options_;
  std::int64_t memory_bytes_;  // of a packet
  std::int64_t scale_;         // share of memory that is payload, in units of 1/256
  std::int64_t buffer_bytes_;
  std::int64_t window_bytes_;  // bound on the advertised window, which grows packet by packet
  std::int64_t round_bytes_;   // data of the largest round so far
  std::int64_t round_ack_ = 0, last_ack_ = 0;
  Nanoseconds round_begin_ns_ = -1;
  Nanoseconds rtt_ns_ = -1;    // smoothed, -1: no sample
  std::int64_t end_ = 0;
};

}  // namespace clift::tcp
