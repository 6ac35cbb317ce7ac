// A sender with a window that does not move, on a path. Unless said otherwise a packet takes 1 ms, each way 50 ms, so that the
// ACK of a packet that need not queue comes 101 ms after it is sent; 20 packets are in the window.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/tcp/path.h"

namespace clift::tcp {

// A window that follows RFC 5681 at losses, and is constant otherwise.
class FixedWindow : public CongestionControl {
 public:
  explicit FixedWindow(double cwnd, double rate = 0.0) : cwnd_(cwnd), rate_(rate) {}
  double cwnd() const override { return cwnd_; }
  std::int64_t ssthresh() const override { return ssthresh_; }
  double pacing_rate() const override { return rate_; }
  void on_ack(const AckSample& ack) override { acks.push_back(ack); }
  void on_lost(const LostPacket& packet) override { lost.push_back(packet); }
  void on_enter_recovery(const CongestionEvent& event) override {
    events.push_back(event);
    prior_ = cwnd_;
    ssthresh_ = static_cast<std::int64_t>(cwnd_ / 2);
  }
  void on_timeout(const CongestionEvent& event) override {
    timeouts.push_back(event);
    if (!event.is_repeated) prior_ = cwnd_;
    cwnd_ = 1.0;
  }
  void on_exit_recovery(Nanoseconds, RecoveryState from) override {
    cwnd_ = from == RecoveryState::loss ? 10.0 : static_cast<double>(ssthresh_);
  }
  void on_undo(Nanoseconds, RecoveryState) override {
    ++undone;
    cwnd_ = prior_;
  }
  void on_idle_restart(Nanoseconds, Nanoseconds idle_ns, Nanoseconds) override { idle.push_back(idle_ns); }

  std::vector<AckSample> acks;
  std::vector<LostPacket> lost;
  std::vector<CongestionEvent> events, timeouts;
  std::vector<Nanoseconds> idle;
  int undone = 0;

 private:
  double cwnd_;
  double rate_;
  double prior_ = 0.0;
  std::int64_t ssthresh_ = infinite_ssthresh;
};

inline SenderOptions no_handshake() {
  SenderOptions options;
  options.handshake = false;
  return options;
}

struct Fixture {
  explicit Fixture(double cwnd = 20.0, const PathOptions& path_options = {}, SenderOptions options = no_handshake())
      : control(new FixedWindow(cwnd)), path(path_options, options, std::unique_ptr<CongestionControl>(control)) {}
  FixedWindow* control;
  Path path;
};

// Loses the given transmissions, as pairs of packet and copy.
inline Path::Fate losing(std::set<std::pair<std::int64_t, int>> lost) {
  return [lost](std::int64_t sequence, int copy) { return lost.count({sequence, copy}) > 0 ? Delays{} : Delays{0}; };
}

inline void expect_all_delivered(const Path& path, std::int64_t packets) {
  EXPECT_EQ(path.receiver.next(), packets);
  EXPECT_EQ(path.sender.una(), packets);
  EXPECT_EQ(path.sender.in_flight(), 0);
}

}  // namespace clift::tcp
