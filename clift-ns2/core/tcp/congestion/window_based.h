// Base of congestion controls that respond to losses by their window: a subclass defines the growth of its window and
// the reduction.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/tcp/congestion/first_slow_start.h"
#include "core/tcp/congestion_control.h"

namespace clift::tcp {

class WindowBased : public CongestionControl {
 public:
  // `own`: the first slow start, where the parameters choose none.
  explicit WindowBased(const ControlParameters& parameters, SlowStart own = SlowStart::standard);

  double cwnd() const override { return cwnd_; }
  std::int64_t ssthresh() const override { return ssthresh_; }
  bool answers_marks() const override { return true; }

  void on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) override;
  // Lets the window grow by the packets that an ACK delivers in order, outside fast recovery and only if the window was
  // the limit (RFC 7661's condition for growth; RFC 9438, section 5.8). On a path that reorders, every ACK counts.
  void on_ack(const AckSample& ack) override;
  void on_enter_recovery(const CongestionEvent& event) override;
  void on_timeout(const CongestionEvent& event) override;
  void on_exit_recovery(Nanoseconds now_ns, RecoveryState from) override;
  void on_undo(Nanoseconds now_ns, RecoveryState from) override;
  void on_idle_restart(Nanoseconds now_ns, Nanoseconds idle_ns, Nanoseconds rto_ns) override;

  // For Careful Resume: moves the window, or sets ssthresh as losses at that window would.
  void set_cwnd(double cwnd) { cwnd_ = std::max(1.0, cwnd); }
  void set_ssthresh_of_loss_at(double window);

 protected:
  // The new slow-start threshold after losses; at least 2.
  virtual std::int64_t reduced_ssthresh(const CongestionEvent& event) = 0;

  // Growth by `acked` packets in slow start (below ssthresh) and in congestion avoidance. `slow_start` returns the
  // number of packets that it did not use because the window reached ssthresh.
  virtual std::int64_t slow_start(std::int64_t acked, const AckSample& ack);
  virtual void avoid_congestion(std::int64_t acked, const AckSample& ack) = 0;

  // The first slow start ends before a loss, and the window is now `cwnd`.
  virtual void leave_first_slow_start(double cwnd);

  // Packets of an ACK that let the window grow.
  virtual std::int64_t growing(const AckSample& ack) const { return ack.has_echo ? 0 : ack.newly_delivered; }

  // Only a window that was the limit may grow; in slow start, to twice the flight that was used.
  bool may_grow(const AckSample& ack) const {
    return ack.is_cwnd_limited || (in_slow_start() && cwnd_ < 2.0 * static_cast<double>(ack.most_outstanding));
  }

  bool in_slow_start() const { return cwnd_ < static_cast<double>(ssthresh_); }

  double cwnd_;
  std::int64_t ssthresh_ = infinite_ssthresh;
  std::int64_t initial_window_;
  double window_clamp_;

 private:
  void grow(const AckSample& ack);
  void remember();

  FirstSlowStart first_slow_start_;
  double prior_cwnd_ = 0.0;  // before the last reduction; 0: it cannot be undone
  std::int64_t prior_ssthresh_ = infinite_ssthresh;
};

}  // namespace clift::tcp
