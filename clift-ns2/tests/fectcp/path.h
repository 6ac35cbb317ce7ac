// A sender and a receiver of FECTCP with a path between them: a rate, a queue, delays, and whatever a test does to
// single segments. No simulator is needed.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "core/fectcp/receiver.h"
#include "core/fectcp/sender.h"

namespace clift::fectcp {

inline constexpr Nanoseconds ms = 1'000'000;

struct PathOptions {
  Nanoseconds packet_ns = 1 * ms;    // of the bottleneck, a segment
  Nanoseconds one_way_ns = 50 * ms;  // each way
  std::int64_t queue_packets = 1'000'000;
  std::string overhead = "0%";
};

struct SentRecord {
  Nanoseconds time_ns;
  OutgoingSegment segment;
};

class Path {
 public:
  // What becomes of a segment or an ACK: nothing, or copies with extra delays.
  using Fate = std::function<std::vector<Nanoseconds>(std::int64_t number)>;

  Path(const PathOptions& options, const SenderOptions& sender_options)
      : options_(options),
        receiver(DecodingOverhead::parse(options.overhead), [this] { return uniform(); }),
        sender(sender_options, DecodingOverhead::parse(options.overhead),
               [this](const OutgoingSegment& segment) { transmit(segment); }) {}

  void offer(std::int64_t symbols) { sender.offer(now_ns, symbols); }

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
        event.is_ack ? deliver_ack(event) : deliver(event);
      } else {
        if (on_timer) on_timer();
        sender.on_timer(now_ns);
      }
      if (after_each) after_each();
    }
    if (until_ns != never) now_ns = std::max(now_ns, until_ns);
  }

  Nanoseconds time_of(std::int64_t number) const {
    for (const SentRecord& record : sent) {
      if (record.segment.number == number) return record.time_ns;
    }
    return -1;
  }

 private:
  PathOptions options_;

 public:
  Fate fate = [](std::int64_t) { return std::vector<Nanoseconds>{0}; };
  Fate ack_fate = [](std::int64_t) { return std::vector<Nanoseconds>{0}; };
  std::function<double()> uniform = [] { return 0.5; };
  std::function<void()> on_timer;                // before the sender's timer expires
  std::function<void(const Reply&)> on_ack;      // before the sender sees an ACK
  std::function<void(const OutgoingSegment&)> on_sent;
  Nanoseconds now_ns = 0;
  Nanoseconds decoded_ns = -1;                   // when something was last handed over
  std::vector<SentRecord> sent;
  std::vector<Handover> handovers;
  Receiver receiver;
  Sender sender;

 private:
  struct Event {
    Nanoseconds time_ns;
    std::int64_t order;  // events of one moment happen in the order in which they were made
    bool is_ack;
    Nanoseconds sent_ns;
    OutgoingSegment segment;
    Reply reply;
    bool operator<(const Event& other) const {
      return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
    }
  };

  void transmit(const OutgoingSegment& segment) {
    sent.push_back({now_ns, segment});
    if (on_sent) on_sent(segment);
    if ((free_ns_ - now_ns) / options_.packet_ns >= options_.queue_packets) return;
    const std::vector<Nanoseconds> extras = fate(segment.number);
    if (extras.empty()) return;
    free_ns_ = std::max(free_ns_, now_ns) + options_.packet_ns;
    for (const Nanoseconds extra_ns : extras) {
      events_.push({free_ns_ + options_.one_way_ns + extra_ns, order_++, false, now_ns, segment, {}});
    }
  }

  void deliver(const Event& event) {
    const OutgoingSegment& segment = event.segment;
    Reply reply = receiver.on_handshake(event.sent_ns);
    if (segment.number > 0) {
      reply = receiver.on_segment(segment.number, segment.block, segment.source_symbols);
      for (const Handover& handover : receiver.handovers()) {
        handovers.push_back(handover);
        decoded_ns = now_ns;
      }
    }
    for (const Nanoseconds extra_ns : ack_fate(segment.number)) {
      events_.push({now_ns + options_.one_way_ns + extra_ns, order_++, true, 0, {}, reply});
    }
  }

  void deliver_ack(const Event& event) {
    if (on_ack) on_ack(event.reply);
    sender.on_ack(now_ns, event.reply);
  }

  std::priority_queue<Event> events_;
  std::int64_t order_ = 0;
  Nanoseconds free_ns_ = 0;
};

}  // namespace clift::fectcp
