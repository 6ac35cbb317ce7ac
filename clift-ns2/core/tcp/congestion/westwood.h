// Westwood+: Grieco and Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP
// congestion control", ACM SIGCOMM CCR 34(2), 2004.
#pragma once

#include "core/tcp/congestion/reno.h"

namespace clift::tcp {

// Grows like Reno, but falls to the bandwidth-delay product, estimated from ACKs and the least round-trip time.
class Westwood : public Reno {
 public:
  explicit Westwood(const ControlParameters& parameters) : Reno(parameters) {}

  void on_start(Nanoseconds now_ns) override { sample_start_ns_ = now_ns; }
  void on_ack(const AckSample& ack) override;

  // The bandwidth estimate; 0: none yet.
  double bandwidth() const { return bandwidth_; }

 protected:
  std::int64_t reduced_ssthresh(const CongestionEvent& event) override;

 private:
  double bandwidth_ = 0.0;
  Nanoseconds sample_start_ns_ = 0;
  std::int64_t sample_delivered_ = 0;
};

}  // namespace clift::tcp
