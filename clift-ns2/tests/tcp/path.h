// A sender and a receiver of the core with a path between them: a rate, a queue, delays, and whatever a test does to
// single packets. No simulator is needed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "core/tcp/receiver.h"
#include "core/tcp/sender.h"

namespace clift::tcp {

inline constexpr Nanoseconds ms = 1'000'000;

struct PathOptions {
  Nanoseconds packet_ns = 1 * ms;      // of the bottleneck, a packet
  Nanoseconds one_way_ns = 50 * ms;    // each way
  std::int64_t queue_packets = 1'000'000;
};

struct SentRecord {
  Nanoseconds time_ns;
  std::int64_t sequence;
  int copy;  // 1: the first transmission
};

class Path {
 public:
  // What becomes of a packet: nothing, or copies with extra delays. `copy` counts its transmissions from 1.
  using Fate = std::function<std::vector<Nanoseconds>(std::int64_t sequence, int copy)>;
  using AckFate = std::function<std::vector<Nanoseconds>()>;

  Path(const PathOptions& options, const SenderOptions& sender_options, std::unique_ptr<CongestionControl> control)
      : options_(options),
        sender(sender_options, std::move(control), [this](std::int64_t sequence, bool) { transmit(sequence); }) {}

  Path(const PathOptions& options, const SenderOptions& sender_options, const std::string& control = "reno")
      : Path(options, sender_options, make_congestion_control(control, {})) {}

  void offer(std::int64_t end) { sender.offer(now_ns, end); }

  // Until nothing is left to happen, or `until_ns`. `after_each` is called after whatever has happened.
  void run(Nanoseconds until_ns = never, const std::function<void()>& after_each = {}) {
    while (true) {
      const Nanoseconds deadline_ns = sender.next_deadline_ns();
      const Nanoseconds event_ns = events_.empty() ? never : events_.top().time_ns;
      const Nanoseconds next_ns = std::min(deadline_ns, event_ns);
      if (next_ns == never || next_ns > until_ns) break;
      now_ns = std::max(now_ns, next_ns);
      if (event_ns <= deadline_ns) {
        const Event event = events_.top();
        events_.pop();
        event.is_ack ? deliver_ack(event.id) : deliver(event);
      } else {
        sender.on_timer(now_ns);
      }
      if (after_each) after_each();
    }
    if (until_ns != never) now_ns = std::max(now_ns, until_ns);
  }

  // The times at which `sequence` was sent.
  std::vector<Nanoseconds> times_of(std::int64_t sequence) const {
    std::vector<Nanoseconds> times;
    for (const SentRecord& record : sent) {
      if (record.sequence == sequence) times.push_back(record.time_ns);
    }
    return times;
  }

  Fate fate = [](std::int64_t, int) { return std::vector<Nanoseconds>{0}; };
  AckFate ack_fate = [] { return std::vector<Nanoseconds>{0}; };
  bool dsacks = true;
  bool echoes = true;
  Nanoseconds now_ns = 0;
  std::vector<SentRecord> sent;
  std::int64_t queue_drops = 0;

 private:
  struct Event {
    Nanoseconds time_ns;
    std::int64_t order;
    bool is_ack;
    std::int64_t id;            // packet number, or index of the ACK
    Nanoseconds timestamp_ns;
    bool operator<(const Event& other) const {  // the earliest is on top
      return std::tie(time_ns, order) > std::tie(other.time_ns, other.order);
    }
  };

  void transmit(std::int64_t sequence) {
    const int copy = ++copies_[sequence];
    sent.push_back({now_ns, sequence, copy});
    const Nanoseconds starts_ns = std::max(now_ns, link_free_ns_);
    if (starts_ns - now_ns >= options_.queue_packets * options_.packet_ns && options_.queue_packets < 1'000'000) {
      ++queue_drops;
      return;
    }
    link_free_ns_ = starts_ns + options_.packet_ns;
    for (const Nanoseconds extra_ns : fate(sequence, copy)) {
      events_.push({link_free_ns_ + options_.one_way_ns + extra_ns, order_++, false, sequence, now_ns});
    }
  }

  void deliver(const Event& event) {
    const Reply& reply = receiver.on_packet(event.id, event.timestamp_ns);
    Acknowledgement ack;
    ack.ack = reply.ack;
    ack.echo_ns = echoes ? reply.echo_ns : -1;
    ack.blocks = reply.blocks;
    if (!dsacks && !ack.blocks.empty() && ack.blocks[0].second <= ack.ack) ack.blocks.erase(ack.blocks.begin());
    for (const Nanoseconds extra_ns : ack_fate()) {
      const auto index = static_cast<std::int64_t>(acks_.size());
      events_.push({now_ns + options_.one_way_ns + extra_ns, order_++, true, index, 0});
      acks_.push_back(ack);
    }
  }

  void deliver_ack(std::int64_t index) {
    Acknowledgement ack = std::move(acks_[static_cast<std::size_t>(index)]);
    ack.now_ns = now_ns;
    sender.on_ack(ack);
  }

  PathOptions options_;
  std::priority_queue<Event> events_;
  std::map<std::int64_t, int> copies_;
  std::vector<Acknowledgement> acks_;
  Nanoseconds link_free_ns_ = 0;
  std::int64_t order_ = 0;

 public:
  Receiver receiver;
  Sender sender;
};

}  // namespace clift::tcp
