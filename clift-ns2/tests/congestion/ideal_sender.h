// A sender that knows all, over one bottleneck: so that only the congestion control is under test.
//
// Independent of core/tcp's sender. Each packet is acknowledged separately; a packet counts as lost when the third
// packet sent after it has arrived; lost packets are retransmitted at once. In fast recovery of controls that leave it
// to the sender, the window is ssthresh. There are no timeouts: loss patterns must let three packets through.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>

#include "core/tcp/congestion_control.h"

namespace clift::tcp {

struct Path {
  double rate = 1000.0;  // packets per second
  Nanoseconds rtt_ns = 100'000'000;
  std::int64_t queue = 1'000'000;  // packets, the one being sent included
  // By the number of the transmission.
  std::function<bool(std::int64_t)> is_lost = [](std::int64_t) { return false; };
};

class IdealSender {
 public:
  IdealSender(CongestionControl& control, Path path) : control_(control), path_(std::move(path)) {
    control_.on_start(0);
  }

  std::function<void(const AckSample&)> after_ack = [](const AckSample&) {};

  void run_until(Nanoseconds end_ns) {
    send();
    while (true) {
      const Nanoseconds ack_ns = next_ack_ns();
      const Nanoseconds send_ns = is_waiting_for_pacing_ ? next_send_ns_ : never;
      if (std::min(ack_ns, send_ns) > end_ns) break;
      now_ns_ = std::min(ack_ns, send_ns);
      if (ack_ns <= send_ns) acknowledge();
      send();
    }
    now_ns_ = end_ns;
  }

  Nanoseconds now_ns() const { return now_ns_; }
  std::int64_t delivered() const { return delivered_; }
  std::int64_t sent() const { return transmissions_; }
  std::int64_t in_flight() const { return in_flight_; }

  // Packets at the bottleneck, the one being sent included.
  std::int64_t queued() const {
    return std::count_if(flight_.begin(), flight_.end(),
                         [&](const Packet& p) { return !p.is_dropped && p.departure_ns > now_ns_; });
  }

 private:
  struct Packet {
    std::int64_t transmission, data;
    Nanoseconds sent_ns, departure_ns;
    bool is_dropped;
    std::int64_t delivered, lost, tx_in_flight;
    Nanoseconds delivered_ns, first_sent_ns;
  };

  Nanoseconds next_ack_ns() const {
    for (const Packet& p : flight_)
      if (!p.is_dropped) return p.departure_ns + path_.rtt_ns;
    return never;
  }

  double window() const {
    const bool leaves_it = state_ == RecoveryState::recovery && !control_.regulates_recovery();
    return leaves_it ? static_cast<double>(control_.ssthresh()) : control_.cwnd();
  }

  void send() {
    is_waiting_for_pacing_ = false;
    while (true) {
      if (in_flight_ >= static_cast<std::int64_t>(window())) {
        limited_now_ = true;
        return;
      }
      if (control_.pacing_rate() > 0.0 && now_ns_ < next_send_ns_) {
        is_waiting_for_pacing_ = true;
        return;
      }
      control_.on_transmit({now_ns_, in_flight_, false});
      std::int64_t data = next_data_;
      if (lost_data_.empty()) {
        ++next_data_;
      } else {
        data = *lost_data_.begin();
        lost_data_.erase(lost_data_.begin());
      }
      if (in_flight_ == 0) first_sent_ns_ = delivered_ns_ = now_ns_;
      const auto service_ns = static_cast<Nanoseconds>(1e9 / path_.rate);
      const bool is_full = path_.queue < 1'000'000 && queued() >= path_.queue;
      Packet p{transmissions_, data,       now_ns_,       0,
               is_full,        delivered_, lost_,         ++in_flight_,
               delivered_ns_,  first_sent_ns_};
      if (!is_full) last_departure_ns_ = std::max(now_ns_, last_departure_ns_) + service_ns;
      p.departure_ns = last_departure_ns_;
      p.is_dropped = is_full || path_.is_lost(transmissions_);
      ++transmissions_;
      flight_.push_back(p);
      if (control_.pacing_rate() > 0.0)
        next_send_ns_ = now_ns_ + static_cast<Nanoseconds>(1e9 / control_.pacing_rate());
    }
  }

  void acknowledge() {
    const std::int64_t prior_in_flight = in_flight_, una_before = una_;
    const auto arrived = std::find_if(flight_.begin(), flight_.end(), [](const Packet& p) { return !p.is_dropped; });
    const Packet packet = *arrived;
    flight_.erase(arrived);
    --in_flight_;
    ++delivered_;
    delivered_ns_ = now_ns_;
    first_sent_ns_ = packet.sent_ns;
    received_.insert(packet.data);
    while (!received_.empty() && *received_.begin() == una_) {
      received_.erase(received_.begin());
      ++una_;
    }
    const Nanoseconds rtt_ns = now_ns_ - packet.sent_ns;
    min_rtt_ns_ = std::min(min_rtt_ns_, rtt_ns);
    srtt_ns_ = srtt_ns_ == 0 ? rtt_ns : srtt_ns_ + (rtt_ns - srtt_ns_) / 8;

    CongestionEvent event;
    event.in_flight = in_flight_;
    event.delivered = delivered_;
    event.min_rtt_ns = min_rtt_ns_;
    std::int64_t newly_lost = 0;
    while (!flight_.empty() && flight_.front().transmission + 3 <= packet.transmission) {
      const Packet lost = flight_.front();
      flight_.pop_front();
      lost_data_.insert(lost.data);
      --in_flight_;
      ++newly_lost;
      ++lost_;
      LostPacket report;
      report.now_ns = now_ns_;
      report.packet = lost.data;
      report.delivered = delivered_;
      report.tx_in_flight = lost.tx_in_flight;
      report.lost_since_sent = lost_ - lost.lost;
      control_.on_lost(report);
    }
    if (state_ == RecoveryState::recovery && una_ >= recovery_point_) {
      state_ = RecoveryState::open;
      control_.on_exit_recovery(now_ns_, RecoveryState::recovery);
    }
    if (newly_lost > 0 && state_ == RecoveryState::open) {
      state_ = RecoveryState::recovery;
      recovery_point_ = next_data_;
      control_.on_enter_recovery(event);
    }
    if (una_ >= round_end_) {
      round_end_ = next_data_;
      limited_before_ = limited_now_;
      limited_now_ = false;
    }

    AckSample ack;
    ack.now_ns = now_ns_;
    ack.newly_acked = una_ - una_before;
    ack.newly_delivered = 1;
    ack.rtt_ns = rtt_ns;
    ack.srtt_ns = srtt_ns_;
    ack.min_rtt_ns = min_rtt_ns_;
    ack.prior_in_flight = prior_in_flight;
    ack.in_flight = in_flight_;
    ack.delivered = delivered_;
    ack.snd_una = una_;
    ack.snd_nxt = next_data_;
    ack.state = state_;
    ack.is_cwnd_limited = limited_before_ || limited_now_;
    ack.rate.interval_ns = std::max(packet.sent_ns - packet.first_sent_ns, now_ns_ - packet.delivered_ns);
    ack.rate.delivered = delivered_ - packet.delivered;
    ack.rate.prior_delivered = packet.delivered;
    ack.rate.lost = lost_ - packet.lost;
    ack.rate.tx_in_flight = packet.tx_in_flight;
    if (ack.rate.interval_ns >= min_rtt_ns_)
      ack.rate.delivery_rate =
          static_cast<double>(ack.rate.delivered) / (static_cast<double>(ack.rate.interval_ns) * 1e-9);
    control_.on_ack(ack);
    after_ack(ack);
  }

  CongestionControl& control_;
  Path path_;
  Nanoseconds now_ns_ = 0, next_send_ns_ = 0, last_departure_ns_ = 0, min_rtt_ns_ = never, srtt_ns_ = 0;
  Nanoseconds delivered_ns_ = 0, first_sent_ns_ = 0;
  bool is_waiting_for_pacing_ = false, limited_now_ = false, limited_before_ = true;
  RecoveryState state_ = RecoveryState::open;
  std::int64_t transmissions_ = 0, next_data_ = 0, una_ = 0, recovery_point_ = 0, round_end_ = 0;
  std::int64_t in_flight_ = 0, delivered_ = 0, lost_ = 0;
  std::deque<Packet> flight_;
  std::set<std::int64_t> received_, lost_data_;
};

}  // namespace clift::tcp
