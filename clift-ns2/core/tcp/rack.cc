#include "core/tcp/rack.h"

#include <algorithm>

namespace clift::tcp {

namespace {

constexpr std::int64_t most_reordering = 300;
constexpr int recoveries_until_reset = 16;

}  // namespace

void Rack::on_delivered(const std::vector<DeliveredPacket>& delivered, Nanoseconds now_ns, Nanoseconds echo_ns,
                        Nanoseconds min_rtt_ns) {
  std::int64_t newest = 0;
  for (const auto& [sequence, is_cumulative, packet] : delivered) {
    if (sequence > highest_) {
      highest_ = sequence;
    } else if (!packet.is_retransmitted) {
      reordering_seen_ = true;
      reordering_ = std::max(reordering_, std::min(highest_ - sequence, most_reordering));
    }
    const Nanoseconds rtt_ns = now_ns - packet.sent_ns;
    if (packet.is_retransmitted) {
      // The first copy may have been delivered. A receiver echoes the timestamp of a packet that fills a hole only at
      // the hole's edge.
      if (is_cumulative && echo_ns >= 0 && echo_ns < packet.sent_ns) continue;
      if (rtt_ns < min_rtt_ns) continue;
    }
    if (packet.transmission > newest) {
      newest = packet.transmission;
      rtt_ns_ = rtt_ns;
    }
  }
  transmission_ = std::max(transmission_, newest);
}

void Rack::doubt_reordering(std::int64_t sacked) {
  if (sacked >= duplicate_threshold) reordering_ = duplicate_threshold;
}

void Rack::adapt_window(bool has_dsack, bool recovery_ends, std::int64_t una, std::int64_t next) {
  if (dsack_round_ >= 0 && una >= dsack_round_) dsack_round_ = -1;
  if (dsack_round_ < 0 && has_dsack) {
    dsack_round_ = next;
    window_multiple_ += 1;
    persistence_ = recoveries_until_reset;
  } else if (recovery_ends) {
    persistence_ -= 1;
    if (persistence_ <= 0) window_multiple_ = 1;
  }
}

Nanoseconds Rack::reordering_window_ns(bool in_recovery, std::int64_t sacked, Nanoseconds min_rtt_ns,
                                       Nanoseconds srtt_ns) const {
  if (min_rtt_ns == never) return 0;
  if (!reordering_seen_ && (in_recovery || sacked >= duplicate_threshold)) return 0;
  return std::min(window_multiple_ * (min_rtt_ns / 4), srtt_ns);
}

Nanoseconds Rack::deadline_ns(const SentPacket& packet, Nanoseconds window_ns) const {
  if (packet.transmission >= transmission_) return never;
  return packet.sent_ns + rtt_ns_ + window_ns;
}

bool Rack::is_overdue(const SentPacket& packet, Nanoseconds window_ns, Nanoseconds now_ns) const {
  return packet.sent_ns + rtt_ns_ + window_ns <= now_ns;
}

}  // namespace clift::tcp
