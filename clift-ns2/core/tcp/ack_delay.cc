#include "core/tcp/ack_delay.h"

namespace clift::tcp {

namespace {

constexpr Nanoseconds ms = 1'000'000;
constexpr Nanoseconds least_delay_ns = 40 * ms;
constexpr Nanoseconds largest_delay_ns = 199 * ms;  // less than the least retransmission timeout
constexpr Nanoseconds largest_ato_ns = 200 * ms;
constexpr Nanoseconds first_timeout_ns = 1000 * ms;  // before an RTT is known
constexpr Nanoseconds largest_collection_ns = ms;    // tcp_comp_sack_delay_ns
constexpr Nanoseconds collection_slack_ns = ms / 10;  // tcp_comp_sack_slack_ns
constexpr std::int64_t most_collected = 44;           // tcp_comp_sack_nr
constexpr std::int64_t repeated_at_once = 3;
constexpr std::int64_t most_quick = 16;

}  // namespace

void AckDelay::hurry(std::int64_t count, std::int64_t window_packets) {
  const std::int64_t half = window_packets / 2;
  quick_ = std::max(quick_, std::min(half == 0 ? 2 : half, count));
}

// The retransmission timeout after one sample of the RTT.
Nanoseconds AckDelay::timeout_ns() const {
  return rtt_ns_ < 0 ? first_timeout_ns : rtt_ns_ + std::max(2 * rtt_ns_, largest_ato_ns);
}

void AckDelay::estimate(Nanoseconds now_ns, std::int64_t window_packets) {
  const Nanoseconds gap_ns = now_ns - last_data_ns_;
  if (ato_ns_ == 0) {
    hurry(most_quick, window_packets);
    ato_ns_ = least_delay_ns;
  } else if (gap_ns <= least_delay_ns / 2) {
    ato_ns_ = ato_ns_ / 2 + least_delay_ns / 2;
  } else if (gap_ns < ato_ns_) {
    ato_ns_ = std::min({ato_ns_ / 2 + gap_ns, timeout_ns(), largest_ato_ns});
  } else if (gap_ns > timeout_ns()) {
    hurry(most_quick, window_packets);
  }
  last_data_ns_ = now_ns;
}

void AckDelay::on_packet(Nanoseconds now_ns, Arrival arrival, std::int64_t waiting, std::int64_t window_packets) {
  if (arrival == Arrival::duplicate) {
    hurry(most_quick, window_packets);
    ato_ns_ = least_delay_ns;
  } else if (arrival != Arrival::beyond_hole) {
    estimate(now_ns, window_packets);
    repeated_ = 0;
  }
  if (waiting > 1 || quick_ > 0 || arrival == Arrival::fills_hole || arrival == Arrival::duplicate) {
    deadline_ns_ = now_ns;
  } else if (arrival == Arrival::in_order) {
    Nanoseconds delay_ns = ato_ns_;
    if (rtt_ns_ >= 0) delay_ns = std::min(delay_ns, std::max(rtt_ns_, least_delay_ns));
    deadline_ns_ = sum_of(now_ns, std::min(delay_ns, largest_delay_ns));
  } else if (repeated_ < repeated_at_once || collected_ >= most_collected) {
    ++repeated_;
    deadline_ns_ = now_ns;
  } else if (collected_++ == 0) {
    const Nanoseconds part_ns = rtt_ns_ < 0 ? largest_collection_ns : rtt_ns_ / 20;
    deadline_ns_ = std::min(deadline_ns_, now_ns + std::min(largest_collection_ns, part_ns) + collection_slack_ns);
  }
}

void AckDelay::on_deadline() {
  if (collected_ == 0) ato_ns_ = std::min({2 * ato_ns_, timeout_ns(), largest_ato_ns});
}

void AckDelay::on_sent() {
  deadline_ns_ = never;
  collected_ = 0;
  if (quick_ > 0 && --quick_ == 0) ato_ns_ = least_delay_ns;
}

}  // namespace clift::tcp
