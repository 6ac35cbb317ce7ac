// How much may be sent on each ACK of fast recovery, so that the flight comes down to ssthresh within a round trip:
// RFC 9937.
#pragma once

#include <cstdint>

namespace clift::tcp {

class ProportionalRateReduction {
 public:
  // Recovery begins. `recover_flight` is RecoverFS: the flight when it begins without what was selectively
  // acknowledged before the ACK that begins it, but with all that this ACK newly delivers.
  void begin(std::int64_t ssthresh, std::int64_t recover_flight);

  // An ACK, also the one with which recovery begins. `is_safe`: it advances una() and tells of no further loss.
  void on_ack(std::int64_t newly_delivered, std::int64_t in_flight, bool is_safe);

  void on_sent() { ++out_; }

  // Losses are found though nothing is delivered, by a timer: one packet may be sent.
  void force(std::int64_t in_flight) { cwnd_ = in_flight + 1; }

  // What may be in flight until the next ACK.
  std::int64_t cwnd() const { return cwnd_; }

 private:
  std::int64_t ssthresh_ = 0;
  std::int64_t recover_flight_ = 1;
  std::int64_t delivered_ = 0;
  std::int64_t out_ = 0;
  std::int64_t cwnd_ = 0;
};

}  // namespace clift::tcp
