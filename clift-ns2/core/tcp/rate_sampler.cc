#include "core/tcp/rate_sampler.h"

#include <algorithm>

namespace clift::tcp {

SendSnapshot RateSampler::on_sent(Nanoseconds now_ns, std::int64_t in_flight) {
  if (in_flight == 0) first_send_ns_ = delivered_ns_ = now_ns;
  SendSnapshot packet;
  packet.first_send_ns = first_send_ns_;
  packet.delivered_ns = delivered_ns_;
  packet.delivered = delivered_;
  packet.lost = lost_;
  packet.tx_in_flight = in_flight + 1;
  packet.is_app_limited = is_app_limited();
  return packet;
}

void RateSampler::begin_ack(Nanoseconds now_ns) {
  now_ns_ = now_ns;
  newest_transmission_ = -1;
}

void RateSampler::on_delivered(const SendSnapshot& packet, Nanoseconds sent_ns, std::int64_t transmission) {
  ++delivered_;
  delivered_ns_ = now_ns_;
  if (transmission < newest_transmission_) return;
  newest_transmission_ = transmission;
  newest_ = packet;
  send_elapsed_ns_ = sent_ns - packet.first_send_ns;
  ack_elapsed_ns_ = now_ns_ - packet.delivered_ns;
  first_send_ns_ = sent_ns;
}

RateSample RateSampler::sample(Nanoseconds min_rtt_ns) {
  if (app_limited_until_ != 0 && delivered_ > app_limited_until_) app_limited_until_ = 0;
  RateSample sample;
  if (newest_transmission_ < 0) return sample;
  sample.prior_delivered = newest_.delivered;
  sample.is_app_limited = newest_.is_app_limited;
  sample.tx_in_flight = newest_.tx_in_flight;
  sample.lost = lost_ - newest_.lost;
  sample.delivered = delivered_ - newest_.delivered;
  const Nanoseconds interval_ns = std::max(send_elapsed_ns_, ack_elapsed_ns_);
  // A shorter interval belongs to a packet with a spurious retransmission: its first copy was acknowledged.
  if (interval_ns <= 0 || (min_rtt_ns != never && interval_ns < min_rtt_ns)) return sample;
  sample.interval_ns = interval_ns;
  sample.delivery_rate = static_cast<double>(sample.delivered) * 1e9 / static_cast<double>(interval_ns);
  return sample;
}

void RateSampler::mark_app_limited(std::int64_t in_flight) {
  app_limited_until_ = std::max<std::int64_t>(delivered_ + in_flight, 1);
}

}  // namespace clift::tcp
