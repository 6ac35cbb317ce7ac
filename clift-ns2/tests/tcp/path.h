// TCP's sender and receiver with a path between them, on which a test does to single packets whatever it likes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tcp/receiver.h"
#include "core/tcp/sender.h"
#include "tests/path.h"

namespace clift::tcp {

struct SentRecord {
  Nanoseconds time_ns;
  std::int64_t sequence;
  int copy;  // 1: the first transmission
};

class Path : public PacketPath {
 public:
  // `copy` counts a packet's transmissions from 1.
  using Fate = std::function<Delays(std::int64_t sequence, int copy)>;
  using AckFate = std::function<Delays()>;

  Path(const PathOptions& options, const SenderOptions& sender_options, std::unique_ptr<CongestionControl> control)
      : PacketPath(options),
        sender(sender_options, std::move(control), [this](std::int64_t sequence, bool) { transmit(sequence); }) {}

  Path(const PathOptions& options, const SenderOptions& sender_options, const std::string& control = "reno")
      : Path(options, sender_options, make_congestion_control(control, {})) {}

  void offer(std::int64_t end) { sender.offer(now_ns, end); }

  // The times at which `sequence` was sent.
  std::vector<Nanoseconds> times_of(std::int64_t sequence) const {
    std::vector<Nanoseconds> times;
    for (const SentRecord& record : sent) {
      if (record.sequence == sequence) times.push_back(record.time_ns);
    }
    return times;
  }

  Fate fate = [](std::int64_t, int) { return Delays{0}; };
  AckFate ack_fate = [] { return Delays{0}; };
  bool dsacks = true;
  bool echoes = true;
  std::vector<SentRecord> sent;
  Receiver receiver;
  Sender sender;

 private:
  Nanoseconds next_deadline_ns() const override { return sender.next_deadline_ns(); }
  void on_deadline() override { sender.on_timer(now_ns); }

  void transmit(std::int64_t sequence) {
    const int copy = ++copies_[sequence];
    sent.push_back({now_ns, sequence, copy});
    send_over([&] { return fate(sequence, copy); },
              [this, sequence, sent_ns = now_ns] { deliver(sequence, sent_ns); });
  }

  void deliver(std::int64_t sequence, Nanoseconds timestamp_ns) {
    const Reply& reply = receiver.on_packet({sequence, echoes ? timestamp_ns : -1, now_ns});
    receiver.take_reply(now_ns);
    Acknowledgement ack;
    ack.ack = reply.ack;
    ack.echo_ns = reply.echo_ns;
    ack.blocks = reply.blocks;
    if (!dsacks && !ack.blocks.empty() && ack.blocks[0].second <= ack.ack) ack.blocks.erase(ack.blocks.begin());
    send_back(ack_fate(), [this, ack]() mutable {
      ack.now_ns = now_ns;
      sender.on_ack(ack);
    });
  }

  std::map<std::int64_t, int> copies_;
};

}  // namespace clift::tcp
