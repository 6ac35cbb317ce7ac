#include "core/fectcp/sender.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace clift::fectcp {

namespace {

constexpr double initial_window = 3.0;                   // RFC 3390, of segments of 1460 bytes
constexpr Nanoseconds first_timeout_ns = 1'000'000'000;  // RFC 6298, (2.1), doubled each time
constexpr Nanoseconds longest_timeout_ns = 60'000'000'000;

}  // namespace

Sender::Sender(const SenderOptions& options, const DecodingOverhead& overhead, Transmit transmit)
    : options_(options),
      transmit_(std::move(transmit)),
      blocks_(options.block_symbols, overhead),
      round_trip_(options.alpha),
      most_cwnd_(static_cast<double>(std::max<std::int64_t>(options.window_packets - 1, 1))),
      ssthresh_(std::numeric_limits<double>::infinity()),
      handshake_timeout_ns_(first_timeout_ns) {
  cwnd_ = std::min(initial_window, most_cwnd_);
}

void Sender::offer(Nanoseconds now_ns, std::int64_t source_symbols) {
  blocks_.offer(source_symbols);
  if (!is_connected_ && handshake_deadline_ns_ == never) shake_hands(now_ns);
  send_what_may(now_ns);
}

void Sender::shake_hands(Nanoseconds now_ns) {
  handshake_deadline_ns_ = now_ns + handshake_timeout_ns_;
  handshake_timeout_ns_ = std::min(2 * handshake_timeout_ns_, longest_timeout_ns);
  transmit_({0, -1, 0});
}

void Sender::on_ack(Nanoseconds now_ns, const Reply& reply) {
  if (reply.number >= segments_.next()) return;
  if (!is_connected_) {
    is_connected_ = true;
    handshake_deadline_ns_ = never;
    round_trip_.sample(now_ns - reply.handshake_ns);
  }
  if (segments_.is_open(reply.number)) {
    round_trip_.sample(now_ns - segments_.sent_ns(reply.number));
    grow(reply.number + 1 - segments_.first());
    segments_.acknowledge(reply.number, [this](std::int64_t block) { blocks_.on_gone(block); });
  }
  blocks_.on_decoded_before(reply.first_open);
  blocks_.on_received(reply.first_open, reply.first_received);
  if (reply.is_decoded) {
    blocks_.on_decoded(reply.block);
  } else {
    blocks_.on_received(reply.block, reply.received);
  }
  send_what_may(now_ns);
}

void Sender::grow(std::int64_t acknowledged) {
  const double segments = static_cast<double>(acknowledged);
  cwnd_ = std::min(cwnd_ + (cwnd_ < ssthresh_ ? segments : segments / cwnd_), most_cwnd_);
}

void Sender::on_timer(Nanoseconds now_ns) {
  if (handshake_deadline_ns_ <= now_ns) shake_hands(now_ns);
  while (segments_.next_deadline_ns() <= now_ns) on_expiry(segments_.next_to_expire());
  send_what_may(now_ns);
}

void Sender::on_expiry(std::int64_t number) {
  ++counters_.expiries;
  segments_.expire(number, [this](std::int64_t block) { blocks_.on_gone(block); });
  if (number < reduced_before_) return;
  ++counters_.reductions;
  ssthresh_ = std::max(cwnd_ / 2.0, 2.0);
  cwnd_ = std::max(cwnd_ / 2.0, 1.0);
  reduced_before_ = segments_.next();
}

Nanoseconds Sender::next_deadline_ns() const {
  if (!is_connected_) return handshake_deadline_ns_;
  if (is_done()) return never;
  return std::min(segments_.next_deadline_ns(), has_room() ? next_sending_ns() : never);
}

bool Sender::has_room() const {
  const std::int64_t in_transit = segments_.in_transit();
  return static_cast<double>(in_transit) < cwnd_ + 1.0 && in_transit < std::max<std::int64_t>(options_.window_packets, 1);
}

Nanoseconds Sender::next_sending_ns() const {
  if (last_sent_ns_ < 0) return 0;
  return last_sent_ns_ + std::llround(static_cast<double>(round_trip_.srtt_ns()) / cwnd_);
}

void Sender::send_what_may(Nanoseconds now_ns) {
  if (!is_connected_ || is_done() || !has_room() || next_sending_ns() > now_ns) return;
  const std::int64_t block = blocks_.choose();
  const std::int64_t number = segments_.next();
  segments_.on_sent(now_ns, now_ns + round_trip_.timer_ns(cwnd_), block);
  blocks_.on_sent(block);
  ++counters_.segments;
  last_sent_ns_ = now_ns;
  transmit_({number, block, blocks_.source_symbols(block)});
}

}  // namespace clift::fectcp
