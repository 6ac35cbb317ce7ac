// FECTCP's sender and receiver with a path between them, on which a test does to single segments whatever it likes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/fectcp/receiver.h"
#include "core/fectcp/sender.h"
#include "tests/path.h"

namespace clift::fectcp {

struct SentRecord {
  Nanoseconds time_ns;
  OutgoingSegment segment;
};

class Path : public PacketPath {
 public:
  using Fate = std::function<Delays(std::int64_t number)>;

  Path(const PathOptions& options, const SenderOptions& sender_options, const std::string& overhead = "0%")
      : PacketPath(options),
        receiver(DecodingOverhead::parse(overhead), [this] { return uniform(); }),
        sender(sender_options, DecodingOverhead::parse(overhead),
               [this](const OutgoingSegment& segment) { transmit(segment); }) {}

  void offer(std::int64_t symbols) { sender.offer(now_ns, symbols); }

  Nanoseconds time_of(std::int64_t number) const {
    for (const SentRecord& record : sent) {
      if (record.segment.number == number) return record.time_ns;
    }
    return -1;
  }

  Fate fate = [](std::int64_t) { return Delays{0}; };
  Fate ack_fate = [](std::int64_t) { return Delays{0}; };
  std::function<double()> uniform = [] { return 0.5; };
  std::function<void()> on_timer;                // before the sender's timer expires
  std::function<void(const Reply&)> on_ack;      // before the sender sees an ACK
  std::function<void(const OutgoingSegment&)> on_sent;
  Nanoseconds decoded_ns = -1;                   // when something was last handed over
  std::vector<SentRecord> sent;
  std::vector<Handover> handovers;
  Receiver receiver;
  Sender sender;

 private:
  Nanoseconds next_deadline_ns() const override { return sender.next_deadline_ns(); }
  void on_deadline() override {
    if (on_timer) on_timer();
    sender.on_timer(now_ns);
  }

  void transmit(const OutgoingSegment& segment) {
    sent.push_back({now_ns, segment});
    if (on_sent) on_sent(segment);
    send_over([&] { return fate(segment.number); },
              [this, segment, sent_ns = now_ns] { deliver(segment, sent_ns); });
  }

  void deliver(const OutgoingSegment& segment, Nanoseconds sent_ns) {
    Reply reply = receiver.on_handshake(sent_ns);
    if (segment.number > 0) {
      reply = receiver.on_segment(segment.number, segment.block, segment.source_symbols);
      for (const Handover& handover : receiver.handovers()) {
        handovers.push_back(handover);
        decoded_ns = now_ns;
      }
    }
    send_back(ack_fate(segment.number), [this, reply] {
      if (on_ack) on_ack(reply);
      sender.on_ack(now_ns, reply);
    });
  }
};

}  // namespace clift::fectcp
