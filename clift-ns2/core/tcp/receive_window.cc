#include "core/tcp/receive_window.h"

#include <algorithm>

namespace clift::tcp {

namespace {

constexpr std::int64_t least_memory_bytes = 2304;     // for a packet of up to 1500 bytes
constexpr std::int64_t usual_packet_bytes = 1500;
constexpr std::int64_t first_round_packets = 10;
constexpr std::int64_t cushion_packets = 16;
constexpr std::int64_t growth_packets = 2;

}  // namespace

ReceiveWindow::ReceiveWindow(const ReceiveWindowOptions& options)
    : options_(options),
      memory_bytes_(options.packet_bytes <= usual_packet_bytes ? least_memory_bytes : 2 * options.packet_bytes),
      scale_(std::max<std::int64_t>(1, options.payload_bytes * scale_unit / memory_bytes_)),
      buffer_bytes_(std::min(options.first_bytes, options.most_bytes)),
      window_bytes_(buffer_bytes_ / 2 / options.payload_bytes * options.payload_bytes),
      round_bytes_(std::min(window_bytes_, first_round_packets * options.payload_bytes)) {}

std::int64_t ReceiveWindow::free_bytes(std::int64_t held) const {
  return std::max<std::int64_t>(0, buffer_bytes_ - held * memory_bytes_);
}

bool ReceiveWindow::on_packet(Nanoseconds now_ns, std::int64_t ack, std::int64_t held, Nanoseconds rtt_ns) {
  if (rtt_ns >= 0) sample(rtt_ns);
  if (round_begin_ns_ < 0) {
    round_begin_ns_ = now_ns;
    round_ack_ = last_ack_ = ack;
  }
  const std::int64_t room = window_in(free_bytes(held)) - window_bytes_;
  if (room > 0) window_bytes_ += std::min(room, growth_packets * options_.payload_bytes);
  if (ack > last_ack_) right_size(now_ns, ack);
  last_ack_ = ack;
  return room > 0;
}

void ReceiveWindow::sample(Nanoseconds rtt_ns) {
  rtt_ns_ = rtt_ns_ < 0 || rtt_ns < rtt_ns_ ? rtt_ns : rtt_ns_ + (rtt_ns - rtt_ns_) / 8;
}

// Dynamic right-sizing: twice the data of a round, for losses, and more while rounds still grow.
void ReceiveWindow::right_size(Nanoseconds now_ns, std::int64_t ack) {
  if (rtt_ns_ < 0 || now_ns - round_begin_ns_ < rtt_ns_) return;
  const std::int64_t bytes = (ack - round_ack_) * options_.payload_bytes;
  if (bytes > round_bytes_) {
    const std::int64_t steady = 2 * bytes + cushion_packets * options_.payload_bytes;
    const double growth = static_cast<double>(bytes - round_bytes_) / static_cast<double>(round_bytes_);
    const double wanted = static_cast<double>(steady) * (1.0 + 2.0 * growth);
    const double most = static_cast<double>(options_.most_bytes);
    const auto window = static_cast<std::int64_t>(std::min(wanted, most));
    buffer_bytes_ = std::max(buffer_bytes_, std::min(memory_for(window), options_.most_bytes));
    round_bytes_ = bytes;
  }
  round_ack_ = ack;
  round_begin_ns_ = now_ns;
}

std::int64_t ReceiveWindow::advertise(std::int64_t ack, std::int64_t held) {
  const std::int64_t free = window_in(free_bytes(held)), whole = window_in(buffer_bytes_);
  const bool is_closed = is_tight(held) && (free < whole / 16 || free < options_.payload_bytes);
  const std::int64_t window = is_closed ? 0 : std::min(free, window_bytes_);
  end_ = std::max(end_, ack + window / options_.payload_bytes);
  return end_;
}

}  // namespace clift::tcp
