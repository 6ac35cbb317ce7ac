// Hand-made acknowledgements with delivery-rate samples, for controls that live by them.
#pragma once

#include "core/tcp/congestion_control.h"

namespace clift::tcp {

// Each call is one round of packet time: it acknowledges packets that were sent after the previous round.
class RateScript {
 public:
  explicit RateScript(CongestionControl& control) : control_(control) { control_.on_start(0); }

  Nanoseconds now_ns = 0;
  Nanoseconds rtt_ns = 100'000'000;
  std::int64_t packets = 10;  // that each call delivers
  std::int64_t in_flight = 10;
  std::int64_t delivered = 0;
  std::int64_t lost = 0;          // from the packet's sending to now
  std::int64_t tx_in_flight = 10;
  bool is_app_limited = false;
  RecoveryState state = RecoveryState::open;

  void round(double delivery_rate) { ack(delivery_rate, delivered); }

  // An acknowledgement of packets sent when `prior_delivered` packets had been delivered.
  void ack(double delivery_rate, std::int64_t prior_delivered) {
    now_ns += rtt_ns;
    delivered += packets;
    AckSample ack;
    ack.now_ns = now_ns;
    ack.newly_acked = ack.newly_delivered = packets;
    ack.rtt_ns = ack.srtt_ns = rtt_ns;
    ack.min_rtt_ns = rtt_ns;
    ack.prior_in_flight = in_flight + packets;
    ack.in_flight = in_flight;
    ack.delivered = delivered;
    ack.state = state;
    ack.is_cwnd_limited = true;
    ack.rate.delivery_rate = delivery_rate;
    ack.rate.interval_ns = rtt_ns;
    ack.rate.delivered = delivered - prior_delivered;
    ack.rate.prior_delivered = prior_delivered;
    ack.rate.lost = lost;
    ack.rate.tx_in_flight = tx_in_flight;
    ack.rate.is_app_limited = is_app_limited;
    control_.on_ack(ack);
  }

 private:
  CongestionControl& control_;
};

}  // namespace clift::tcp
