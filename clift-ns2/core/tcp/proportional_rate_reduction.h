// Bounds the packets sent on each ACK of fast recovery, so that the flight falls to ssthresh within a round trip: RFC
// 9937.
#pragma once

#include <cstdint>

namespace clift::tcp {

class ProportionalRateReduction {
 public:
  // Recovery begins. `recover_flight` is RecoverFS: the initial flight, without packets that were selectively
  // acknowledged before the ACK that begins recovery, but with all packets that this ACK newly delivers.
  void begin(std::int64_t ssthresh, std::int64_t recover_flight);

  // An ACK, the one that begins recovery included. `is_safe`: it advances una() and reveals no further loss.
  void on_ack(std::int64_t newly_delivered, std::int64_t in_flight, bool is_safe);

  void on_sent() { ++out_; }

  // A timer detects losses without a delivery: one packet may be sent.
  void force(std::int64_t in_flight) { cwnd_ = in_flight + 1; }

  // Upper bound on the flight until the next ACK.
  std::int64_t cwnd() const { return cwnd_; }

 private:
  std::int64_t ssthresh_ = 0;
  std::int64_t recover_flight_ = 1;
  std::int64_t delivered_ = 0;
  std::int64_t out_ = 0;
  std::int64_t cwnd_ = 0;
};

}  // namespace clift::tcp
