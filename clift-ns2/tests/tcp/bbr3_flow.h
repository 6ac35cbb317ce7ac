// BBRv3 with the whole sender over a bottleneck that a test changes while the flow runs: the bed of the test cases in
// draft-ietf-ccwg-bbr-06, appendix "BBR Example Test Cases".
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/tcp/congestion/bbr3.h"
#include "tests/tcp/path.h"

namespace clift::tcp {

struct Network {
  std::string name;
  double rate;  // packets per second; 833.3 are 10 Mbit/s of 1500 bytes
  Nanoseconds rtt_ns;
  double queue_bdps = 10.0;  // size of the queue in bandwidth-delay products
};

inline std::ostream& operator<<(std::ostream& out, const Network& network) { return out << network.name; }

inline const Network lan{"1 Gbit/s, 1 ms", 83'333.0, ms};
inline const Network continental{"10 Mbit/s, 40 ms", 833.3, 40 * ms};
inline const Network fast{"100 Mbit/s, 100 ms", 8333.0, 100 * ms};
inline const Network geostationary{"20 Mbit/s, 600 ms", 1666.7, 600 * ms};

inline Network with_queue(Network network, double queue_bdps) {
  network.queue_bdps = queue_bdps;
  return network;
}

// A flow whose application has data at all times, until the test limits it.
class Bbr3Flow {
 public:
  using State = Bbr3::State;

  struct Visit {
    State state;
    Nanoseconds begin_ns;
    std::int64_t begin_round;
  };

  explicit Bbr3Flow(const Network& network, double uniform = 0.5)
      : network_(network),
        control_(new Bbr3(parameters(uniform))),
        path(options_of(network), sender_options(), std::unique_ptr<CongestionControl>(control_)) {
    visits.push_back({state(), 0, 0});
  }

  const Bbr3& control() const { return *control_; }
  State state() const { return control_->state(); }
  double in_flight() const { return static_cast<double>(path.sender.in_flight()); }
  double bdp() const { return network_.rate * static_cast<double>(network_.rtt_ns) * 1e-9; }
  std::int64_t rounds() const { return rounds_; }  // of the test's own count
  // BBRInflight(1.0) of the draft: the estimated product, at least three send quanta and four packets.
  double inflight_target() const {
    const double quantum = std::max(2.0, std::min(control_->pacing_rate() * 1e-3, 65'536.0 / 1500.0));
    const double estimate = control_->bandwidth() * static_cast<double>(control_->min_rtt_ns()) * 1e-9;
    return std::max({estimate, 3.0 * quantum, 4.0});
  }
  // Pacing rate over estimated bandwidth, without the pacing margin of 1 %.
  double pacing_gain() const { return control_->pacing_rate() / (0.99 * control_->bandwidth()); }

  void set_rate(double rate) { path.set_packet_ns(packet_ns(rate)); }

  // From now on the application offers `rate` packets a second; 0: none.
  void limit(double rate) {
    is_limited_ = true;
    ++source_;
    if (rate > 0.0) offer_next(source_, packet_ns(rate));
  }

  // From now on it has data at all times.
  void unlimit() {
    is_limited_ = false;
    ++source_;
    feed();
  }

  void run_for(Nanoseconds time_ns) {
    const Nanoseconds end_ns = path.now_ns + time_ns;
    run_until([] { return false; }, time_ns);
    path.now_ns = end_ns;
  }

  // Until `is_over` holds after an event; at most `most_ns`. Returns whether it came to hold.
  bool run_until(const std::function<bool()>& is_over, Nanoseconds most_ns = 60'000 * ms) {
    bool found = false;
    feed();
    path.run(path.now_ns + most_ns, [&] {
      note();
      found = is_over();
      if (found) path.stop();
    });
    return found;
  }

  bool run_into(State wanted) {
    return run_until([this, wanted] { return state() == wanted; });
  }

  // Loses every `n`-th packet from now on; 0: none.
  void lose_every(int n) {
    path.fate = [n, count = 0](std::int64_t, int) mutable { return n > 0 && ++count % n == 0 ? Delays{} : Delays{0}; };
  }

  // From now on acknowledgements arrive only at multiples of `interval_ns`.
  void aggregate_acks(Nanoseconds interval_ns) {
    path.ack_fate = [this, interval_ns] {
      const Nanoseconds due_ns = path.now_ns + network_.rtt_ns / 2;
      return Delays{(due_ns + interval_ns - 1) / interval_ns * interval_ns - due_ns};
    };
  }

  // Packets a second that the receiver gets over a time.
  double measured_rate(Nanoseconds time_ns) {
    const std::int64_t before = path.receiver.next();
    run_for(time_ns);
    return static_cast<double>(path.receiver.next() - before) * 1e9 / static_cast<double>(time_ns);
  }

  std::vector<Visit> visits;

 private:
  static constexpr std::int64_t backlog = 64;  // packets: more than leave at a moment

  static Nanoseconds packet_ns(double rate) { return static_cast<Nanoseconds>(1e9 / rate); }

  static ControlParameters parameters(double uniform) {
    ControlParameters parameters;
    parameters.uniform = [uniform] { return uniform; };
    return parameters;
  }

  static SenderOptions sender_options() {
    SenderOptions options;
    options.receiver_window = 10'000'000;
    return options;
  }

  static PathOptions options_of(const Network& network) {
    const double bdp = network.rate * static_cast<double>(network.rtt_ns) * 1e-9;
    PathOptions options;
    options.packet_ns = packet_ns(network.rate);
    options.one_way_ns = network.rtt_ns / 2;
    options.queue_packets = std::max<std::int64_t>(1, static_cast<std::int64_t>(network.queue_bdps * bdp));
    return options;
  }

  void note() {
    if (path.sender.una() > round_end_) {
      ++rounds_;
      round_end_ = path.sender.next();
    }
    if (visits.back().state != state()) visits.push_back({state(), path.now_ns, rounds_});
    feed();
  }

  void feed() {
    if (is_limited_ || offered_ - path.sender.next() >= backlog / 2) return;
    offered_ = path.sender.next() + backlog;
    path.offer(offered_);
  }

  void offer_next(int source, Nanoseconds interval_ns) {
    if (source != source_) return;
    path.offer(++offered_);
    path.at(path.now_ns + interval_ns, [=] { offer_next(source, interval_ns); });
  }

  const Network network_;
  Bbr3* const control_;  // the path owns it
  bool is_limited_ = false;
  int source_ = 0;  // number of the application's source: an older one falls silent
  std::int64_t offered_ = 0;
  std::int64_t rounds_ = 0;
  std::int64_t round_end_ = 0;

 public:
  Path path;
};

}  // namespace clift::tcp
