// Delivery-rate samples: draft-ietf-ccwg-bbr, section "Delivery Rate Samples" (also
// draft-cheng-iccrg-delivery-rate-estimation). A sample counts the packets delivered between a packet's sending and its
// acknowledgement. It divides them by the time in which they were sent or the time in which they were acknowledged, the
// longer of the two.
#pragma once

#include <cstdint>

#include "core/tcp/congestion_control.h"
#include "core/time.h"

namespace clift::tcp {

// State of the connection's counters when a packet was last sent.
struct SendSnapshot {
  Nanoseconds first_send_ns = 0;
  Nanoseconds delivered_ns = 0;
  std::int64_t delivered = 0;
  std::int64_t lost = 0;
  std::int64_t tx_in_flight = 0;
  bool is_app_limited = false;
};

class RateSampler {
 public:
  std::int64_t delivered() const { return delivered_; }
  std::int64_t lost() const { return lost_; }
  bool is_app_limited() const { return app_limited_until_ != 0; }

  // A packet is sent; `in_flight` is without it.
  SendSnapshot on_sent(Nanoseconds now_ns, std::int64_t in_flight);

  void on_lost() { ++lost_; }

  // One ACK: `begin_ack`; `on_delivered` for each packet that it newly acknowledges or selectively acknowledges, with
  // the number of its last transmission among all of the connection; then `sample`.
  void begin_ack(Nanoseconds now_ns);
  void on_delivered(const SendSnapshot& packet, Nanoseconds sent_ns, std::int64_t transmission);
  RateSample sample(Nanoseconds min_rtt_ns);

  // The application has nothing to send although the window would allow it.
  void mark_app_limited(std::int64_t in_flight);

 private:
  Nanoseconds now_ns_ = 0;
  std::int64_t delivered_ = 0;
  std::int64_t lost_ = 0;
  Nanoseconds delivered_ns_ = 0;        // time of the last increase of delivered_
  Nanoseconds first_send_ns_ = 0;       // sending time of the packet delivered last
  std::int64_t app_limited_until_ = 0;  // samples are limited until this many packets are delivered; 0: they are not

  // This ACK's packet that was sent last.
  std::int64_t newest_transmission_ = -1;  // -1: none
  SendSnapshot newest_;
  Nanoseconds send_elapsed_ns_ = 0;
  Nanoseconds ack_elapsed_ns_ = 0;
};

}  // namespace clift::tcp
