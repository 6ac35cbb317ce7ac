// DCTCP: RFC 8257, with the order of Linux: a mark is answered at once, by the share that earlier windows have shown.
#pragma once

#include "core/tcp/congestion/reno.h"

namespace clift::tcp {

// Grows like Reno by packets without a mark, and falls by half the share of marked packets. A loss halves the window.
class Dctcp : public Reno {
 public:
  using Reno::Reno;

  bool is_scalable() const override { return true; }

  void on_ack(const AckSample& ack) override;
  void on_enter_recovery(const CongestionEvent& event) override;
  void on_exit_recovery(Nanoseconds now_ns, RecoveryState from) override;

  // The share of marked packets, a moving average over windows; 1 before the first.
  double alpha() const { return alpha_; }

 protected:
  // A window has ended, of whose packets this share was marked.
  virtual void on_window_end(double marked);

  std::int64_t growing(const AckSample& ack) const override { return ack.newly_delivered - ack.newly_marked; }
  std::int64_t reduced_ssthresh(const CongestionEvent& event) override;

 private:
  double alpha_ = 1.0;
  std::int64_t window_end_ = 0;     // the first packet that was not sent when the current window began
  Nanoseconds window_begin_ns_ = 0;
  std::int64_t delivered_ = 0;      // in the current window
  std::int64_t marked_ = 0;
  double reduced_cwnd_ = 0.0;       // after the mark that is being answered; 0: none is
};

}  // namespace clift::tcp
