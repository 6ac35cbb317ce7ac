// Compound TCP: draft-sridharan-tcpm-ctcp-02; Tan, Song, Zhang and Sridharan, "A Compound TCP approach for high-speed
// and long distance networks", IEEE INFOCOM 2006.
#pragma once

#include <optional>

#include "core/tcp/congestion/window_based.h"

namespace clift::tcp {

// The window is the sum of Reno's and of a delay window, which grows fast while the path shows no queue.
class Compound : public WindowBased {
 public:
  using WindowBased::WindowBased;

  void on_ack(const AckSample& ack) override;
  void on_timeout(const CongestionEvent& event) override;
  void on_undo(Nanoseconds now_ns, RecoveryState from) override;

  double dwnd() const { return dwnd_; }
  double gamma() const { return gamma_; }

 protected:
  std::int64_t reduced_ssthresh(const CongestionEvent& event) override;
  void avoid_congestion(std::int64_t acked, const AckSample& ack) override;

 private:
  void end_round(const AckSample& ack);

  double dwnd_ = 0.0;
  double prior_dwnd_ = 0.0;
  double gamma_ = 30.0;  // packets in the queue above which the path counts as congested
  std::optional<double> diff_reno_;
  Nanoseconds base_rtt_ns_ = never;
  std::int64_t round_end_ = 0;  // its acknowledgement begins the next round
};

}  // namespace clift::tcp
