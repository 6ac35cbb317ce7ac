// CUBIC: RFC 9438, by default with HyStart++ (RFC 9406) for the first slow start.
#pragma once

#include "core/tcp/congestion/window_based.h"

namespace clift::tcp {

class Cubic : public WindowBased {
 public:
  explicit Cubic(const ControlParameters& parameters);

  void on_transmit(const Transmission& packet) override;
  void on_ack(const AckSample& ack) override;
  void on_timeout(const CongestionEvent& event) override;
  void on_undo(Nanoseconds now_ns, RecoveryState from) override;

 protected:
  std::int64_t reduced_ssthresh(const CongestionEvent& event) override;
  void avoid_congestion(std::int64_t acked, const AckSample& ack) override;
  void leave_first_slow_start(double cwnd) override;

 private:
  // A stage of congestion avoidance, and its memory of the previous stage (RFC 9438, section 4.1.2).
  struct Curve {
    double w_max = 0.0;          // window just before the last reduction, or less (fast convergence)
    double cwnd_prior = 0.0;     // window when ssthresh was last set
    double k_s = 0.0;            // from the start of the stage until W_cubic is w_max
    double w_est = 0.0;          // window that Reno would have
    Nanoseconds epoch_ns = never;  // start of the stage; never: it begins with the next ACK
  };

  void pass_time(Nanoseconds now_ns, bool counts);
  void begin_stage(Nanoseconds now_ns);
  double w_cubic(double t_s) const;

  Nanoseconds passed_ns_ = 0;  // the curve's time is up to date until then
  Curve curve_;
  Curve before_;  // for undo
  bool flat_start_ = false;  // the next stage begins at the curve's plateau: no reduction by loss has led to it
};

}  // namespace clift::tcp
