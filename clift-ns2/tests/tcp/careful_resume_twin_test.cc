// The phases of Careful Resume against a slow twin, which is written from the table in appendix A of RFC 9959, with the
// same Reno between the phases. A sender on paths with losses and lost ACKs follows one of them; both get its calls.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "core/tcp/congestion/careful_resume.h"
#include "core/tcp/congestion/reno.h"
#include "tests/tcp/path.h"

namespace clift::tcp {
namespace {

// FS, PS and IW are the table's flight size, PipeSize and initial window.
struct Twin {
  enum Phase { recon, unvalidated, validating, retreat, normal };

  explicit Twin(const SavedPath& path) : saved(path) {}

  SavedPath saved;
  Reno cc{ControlParameters{}};
  Phase phase = recon;
  std::int64_t first_data = -1, first_of_jump = 0, last_of_jump = -1;
  std::int64_t packets_before_jump = 0;  // of those in flight at the jump, not delivered yet
  double ps = 0.0;
  Nanoseconds entry_ns = 0, current_rtt_ns = 0;
  bool keeps_window = false;  // until the recovery of the retreat ends

  void track(std::int64_t packets) {
    for (; packets > 0; --packets) {
      if (packets_before_jump > 0) {
        --packets_before_jump;
      } else {
        ps += 1.0;
      }
    }
  }

  void on_ack(const AckSample& ack) {
    if (ack.rtt_ns >= 0) current_rtt_ns = ack.rtt_ns;
    if (first_data < 0) first_data = ack.snd_una - ack.newly_acked;
    if (phase == unvalidated || phase == validating || phase == retreat) track(ack.newly_delivered);
    if ((phase == validating || phase == retreat) && last_of_jump < 0) last_of_jump = ack.snd_nxt - 1;
    switch (phase) {
      case recon: {
        cc.on_ack(ack);
        const bool initial_data_acked = ack.snd_una >= first_data + 10;
        if (!initial_data_acked || !ack.is_cwnd_limited || ack.state != RecoveryState::open) break;
        const double saved_rtt = static_cast<double>(saved.rtt_ns), rtt = static_cast<double>(ack.min_rtt_ns);
        const bool confirmed = rtt > saved_rtt / 2 && rtt <= saved_rtt * 10 && ack.now_ns < saved.expiry_ns;
        if (!confirmed || cc.cwnd() >= saved.window / 2) {
          phase = normal;
          break;
        }
        phase = unvalidated;
        ps = static_cast<double>(ack.in_flight);
        packets_before_jump = ack.in_flight;
        first_of_jump = ack.snd_nxt;
        entry_ns = ack.now_ns;
        cc.set_cwnd(saved.window / 2);
        break;
      }
      case unvalidated:
        cc.on_ack(ack);
        cc.set_cwnd(saved.window / 2);
        if (ack.snd_una > first_of_jump || ack.now_ns - entry_ns > current_rtt_ns) leave_jump(ack.in_flight);
        break;
      case validating:
        cc.on_ack(ack);
        if (ack.snd_una >= last_of_jump + 1) phase = normal;
        break;
      case retreat:
        if (ack.last_delivered < last_of_jump) break;
        cc.set_ssthresh_of_loss_at(ps);
        phase = normal;
        break;
      case normal:
        if (keeps_window && ack.state == RecoveryState::recovery) {
          for (std::int64_t i = 0; i < ack.newly_delivered; ++i) {
            const double room = static_cast<double>(cc.ssthresh()) - cc.cwnd();
            if (room > 0.0) cc.set_cwnd(cc.cwnd() + std::min(1.0, room));
          }
        } else {
          cc.on_ack(ack);
        }
        break;
    }
  }

  void on_transmit(const Transmission& packet) {
    const std::int64_t fs = packet.in_flight + 1;
    if (phase != unvalidated) return;
    if (fs >= std::floor(saved.window / 2) || packet.now_ns - entry_ns > current_rtt_ns) leave_jump(fs);
  }

  void leave_jump(std::int64_t fs) {
    const double flight = static_cast<double>(fs);
    const bool rate_limited = fs < 10 || flight <= ps;
    phase = rate_limited ? normal : validating;
    cc.set_cwnd(rate_limited ? std::max(10.0, ps) : flight);
  }

  void on_loss(const CongestionEvent& event, std::int64_t newly_delivered) {
    keeps_window = phase == unvalidated || phase == validating || phase == retreat;
    if (!keeps_window) {
      phase = normal;
      cc.on_enter_recovery(event);
      return;
    }
    // The ACK that reveals the loss counts, and is reported after this.
    const double ps_before = ps;
    const std::int64_t packets_before = packets_before_jump;
    track(newly_delivered);
    const double window = phase == retreat ? cc.cwnd() : ps / 2;
    cc.set_cwnd(ps);
    cc.on_enter_recovery(event);
    ps = ps_before;
    packets_before_jump = packets_before;
    cc.set_cwnd(window);
    phase = retreat;
  }

  void on_end_of_recovery(Nanoseconds now_ns, RecoveryState from) {
    const double window = cc.cwnd();
    cc.on_exit_recovery(now_ns, from);
    if (keeps_window) cc.set_cwnd(std::min(window, cc.cwnd()));
    keeps_window = false;
  }

  void on_timeout(const CongestionEvent& event) {
    if (phase == unvalidated || phase == validating) cc.set_cwnd(ps);
    phase = normal;
    keeps_window = false;
    cc.on_timeout(event);
  }

  void on_undo(Nanoseconds now_ns, RecoveryState from) {
    cc.on_undo(now_ns, from);
    phase = normal;
    keeps_window = false;
  }
};

// Passes each call to both and compares.
class Both : public CongestionControl {
 public:
  Both(const SavedPath& saved, std::map<int, int>& seen)
      : tested_(std::make_unique<Reno>(ControlParameters{}), saved, 10), twin_(saved), seen_(seen) {}

  double cwnd() const override { return tested_.cwnd(); }
  std::int64_t ssthresh() const override { return tested_.ssthresh(); }
  double pacing_rate() const override { return tested_.pacing_rate(); }
  bool regulates_recovery() const override { return tested_.regulates_recovery(); }

  void on_transmit(const Transmission& packet) override {
    tested_.on_transmit(packet);
    twin_.on_transmit(packet);
    compare();
  }
  void on_ack(const AckSample& ack) override {
    delivered_ = ack.delivered;
    tested_.on_ack(ack);
    twin_.on_ack(ack);
    compare();
  }
  void on_enter_recovery(const CongestionEvent& event) override {
    tested_.on_enter_recovery(event);
    twin_.on_loss(event, event.delivered - delivered_);
    compare();
  }
  void on_timeout(const CongestionEvent& event) override {
    tested_.on_timeout(event);
    twin_.on_timeout(event);
    compare();
  }
  void on_exit_recovery(Nanoseconds now_ns, RecoveryState from) override {
    tested_.on_exit_recovery(now_ns, from);
    twin_.on_end_of_recovery(now_ns, from);
    compare();
  }
  void on_undo(Nanoseconds now_ns, RecoveryState from) override {
    tested_.on_undo(now_ns, from);
    twin_.on_undo(now_ns, from);
    compare();
  }

 private:
  void compare() {
    const int phase = static_cast<int>(tested_.phase());
    ++seen_[phase];
    ASSERT_EQ(phase, static_cast<int>(twin_.phase));
    ASSERT_DOUBLE_EQ(tested_.cwnd(), twin_.cc.cwnd());
    ASSERT_EQ(tested_.ssthresh(), twin_.cc.ssthresh());
    const bool paces = twin_.phase == Twin::unvalidated;
    ASSERT_NEAR(tested_.pacing_rate(), paces ? twin_.saved.window / 2 / to_seconds(twin_.current_rtt_ns) : 0.0, 1e-6);
  }

  CarefulResume tested_;
  Twin twin_;
  std::map<int, int>& seen_;
  std::int64_t delivered_ = 0;
};

TEST(CarefulResumeTwin, AgreesWithTheRfcsTableOverEveryPath) {
  std::map<int, int> seen;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::int64_t bound) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound)); };
    SavedPath saved;
    saved.window = static_cast<double>(20 + below(800));
    saved.rtt_ns = (20 + below(250)) * ms;  // the path's is 101 ms or more
    if (below(10) == 0) saved.expiry_ns = below(400) * ms;
    PathOptions options;
    options.queue_packets = 10 + below(400);
    const std::int64_t lost_per_mille = below(3) == 0 ? below(20) : 0;
    const std::int64_t acks_lost_in_ten = below(2) * below(6);
    Path path(options, SenderOptions{}, std::make_unique<Both>(saved, seen));
    path.fate = [&](std::int64_t, int) { return below(1000) < lost_per_mille ? Delays{} : Delays{0}; };
    path.ack_fate = [&] { return below(10) < acks_lost_in_ten ? Delays{} : Delays{0}; };
    const std::int64_t packets = 200 + below(3000);
    path.offer(below(4) == 0 ? 15 : packets);  // some applications have little to send at first
    path.run(350 * ms);
    path.offer(packets);
    path.run();
    ASSERT_EQ(path.receiver.next(), packets) << seed;
    ASSERT_FALSE(HasFailure()) << seed;
  }
  for (int phase = 0; phase < 5; ++phase) EXPECT_GT(seen[phase], 100) << phase;
}

}  // namespace
}  // namespace clift::tcp
