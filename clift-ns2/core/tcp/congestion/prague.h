// TCP Prague: draft-briscoe-iccrg-prague-congestion-control-04, with the defaults of its reference in Linux.
#pragma once

#include "core/tcp/congestion/dctcp.h"

namespace clift::tcp {

// DCTCP for the Internet: paced, needs AccECN, keeps alpha at 1 until the first mark, and after 500 rounds has the rate of
// a flow with an RTT of at least 25 ms. Left out: the fallback for a classic queue's marks, windows below two packets, and
// the bound on bursts, as packets are sent one by one.
class Prague : public Dctcp {
 public:
  using Dctcp::Dctcp;

  double pacing_rate() const override { return pacing_rate_; }
  bool needs_accurate_ecn() const override { return true; }
  Nanoseconds least_round_ns() const override;

  void on_established(Nanoseconds now_ns, Nanoseconds rtt_ns) override;
  void on_ack(const AckSample& ack) override;

 protected:
  void on_window_end(double marked) override;
  void avoid_congestion(std::int64_t acked, const AckSample& ack) override;

 private:
  void pace(Nanoseconds srtt_ns, double in_flight);

  bool has_seen_mark_ = false;
  std::int64_t rounds_ = 0;  // since slow start
  double pacing_rate_ = 0.0;
};

}  // namespace clift::tcp
