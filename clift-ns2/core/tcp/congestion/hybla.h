// Hybla: Caini and Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal of
// Satellite Communications and Networking 22, 2004.
#pragma once

#include <array>

#include "core/tcp/congestion/reno.h"

namespace clift::tcp {

// Gives a connection of any round-trip time the growth, in bits per second, that Reno has with the reference RTT0.
class Hybla : public Reno {
 public:
  explicit Hybla(const ControlParameters& parameters) : Reno(parameters) {}

  void on_ack(const AckSample& ack) override;

  // Packet spacing, as the paper requires: without it, the window's jumps would leave as bursts.
  double pacing_rate() const override { return pacing_rate_; }

  // RTT / RTT0, at least 1; 1 before the first sample of the round-trip time.
  double rho() const { return rho_; }

 protected:
  std::int64_t reduced_ssthresh(const CongestionEvent& event) override;
  std::int64_t slow_start(std::int64_t acked, const AckSample& ack) override;
  void avoid_congestion(std::int64_t acked, const AckSample& ack) override;

 private:
  void estimate_ssthresh(const AckSample& ack);

  struct Arrival {
    Nanoseconds time_ns = 0;
    std::int64_t delivered = 0;
  };

  double rho_ = 1.0;
  double pacing_rate_ = 0.0;
  std::array<Arrival, 3> first_acks_;
  std::size_t first_ack_count_ = 0;
};

}  // namespace clift::tcp
