// The sender over a path: which packet leaves when, by hand. Unless said otherwise a packet takes 1 ms, each way
// 50 ms, so that the ACK of a packet that need not queue comes 101 ms after it is sent; 20 packets are in the window.
#include "core/tcp/sender.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "tests/tcp/path.h"

namespace clift::tcp {
namespace {

// A window that does what RFC 5681 says at losses, and otherwise stays.
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

SenderOptions no_handshake() {
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
Path::Fate losing(std::set<std::pair<std::int64_t, int>> lost) {
  return [lost](std::int64_t sequence, int copy) { return lost.count({sequence, copy}) > 0 ? Delays{} : Delays{0}; };
}

void expect_all_delivered(const Path& path, std::int64_t packets) {
  EXPECT_EQ(path.receiver.next(), packets);
  EXPECT_EQ(path.sender.una(), packets);
  EXPECT_EQ(path.sender.in_flight(), 0);
}

TEST(Sender, BeginsWithASynAndMeasuresIt) {
  SenderOptions options;
  Path path({}, options);
  path.offer(100);
  path.run(100 * ms);
  ASSERT_EQ(path.sent.size(), 1u);
  EXPECT_EQ(path.sent[0].sequence, 0);
  path.run(101 * ms);
  EXPECT_EQ(path.sent.size(), 11u);  // the SYN, and RFC 6928's ten packets
  EXPECT_EQ(path.sender.rtt().srtt_ns(), 101 * ms);
  path.run();
  expect_all_delivered(path, 100);
  EXPECT_EQ(path.sender.counters().retransmissions, 0);
}

TEST(Sender, SendsALostSynAgainAfterASecond) {
  SenderOptions options;
  Path path({}, options);
  path.fate = losing({{0, 1}, {0, 2}});
  path.offer(50);
  path.run();
  EXPECT_EQ(path.times_of(0), (Delays{0, 1000 * ms, 3000 * ms}));
  EXPECT_EQ(path.times_of(1), (Delays{3101 * ms}));
  EXPECT_EQ(path.sender.state(), RecoveryState::open);
  expect_all_delivered(path, 50);
}

TEST(Sender, SendsASingleLostPacketAgainOnTheThirdDuplicate) {
  Fixture f;
  f.path.fate = losing({{5, 1}});
  f.path.offer(100);
  f.path.run();
  // Packet 8's ACK, the third one beyond the hole, comes after 9 packets of 1 ms and two ways.
  EXPECT_EQ(f.path.times_of(5), (Delays{0, 109 * ms}));
  EXPECT_EQ(f.control->events.size(), 1u);
  EXPECT_EQ(f.control->lost.size(), 1u);
  EXPECT_EQ(f.control->lost[0].packet, 5);
  EXPECT_EQ(f.control->events[0].in_flight, 20);  // two new packets by limited transmit
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  EXPECT_EQ(f.path.sender.counters().retransmissions, 1);
  EXPECT_EQ(f.control->undone, 0);
  expect_all_delivered(f.path, 100);
}

TEST(Sender, SendsNewPacketsOnTheFirstTwoDuplicates) {  // RFC 3042
  Fixture f;
  f.path.fate = losing({{0, 1}});
  f.path.offer(100);
  f.path.run(103 * ms);  // ACKs of packets 1 and 2
  EXPECT_EQ(f.path.sender.next(), 22);
  EXPECT_EQ(f.path.sender.state(), RecoveryState::disorder);
  f.path.run();
  expect_all_delivered(f.path, 100);
}

TEST(Sender, BringsTheFlightDownWithinARound) {  // RFC 9937's example
  Fixture f;
  f.path.fate = losing({{0, 1}});
  f.path.offer(100);
  f.path.run(120 * ms);  // ACK of packet 19, the last one of the first window
  // N N, then R and N for every second ACK of 3 to 19.
  std::vector<std::int64_t> sent;
  for (const SentRecord& record : f.path.sent) {
    if (record.time_ns > 0) sent.push_back(record.sequence);
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{20, 21, 0, 22, 23, 24, 25, 26, 27, 28}));
  EXPECT_EQ(f.path.sender.in_flight(), 10);
  f.path.run();
  EXPECT_EQ(f.control->ssthresh(), 10);
  expect_all_delivered(f.path, 100);
}

TEST(Sender, RepairsSeveralLossesInOneRecovery) {
  Fixture f;
  f.path.fate = losing({{2, 1}, {3, 1}, {7, 1}, {11, 1}, {12, 1}});
  f.path.offer(60);
  f.path.run();
  EXPECT_EQ(f.control->events.size(), 1u);
  EXPECT_EQ(f.path.sender.counters().retransmissions, 5);
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  expect_all_delivered(f.path, 60);
}

TEST(Sender, FindsALostRetransmissionWithoutTimeout) {  // RFC 8985, section 3.4's second example
  Fixture f;
  f.path.fate = losing({{5, 1}, {5, 2}, {5, 3}});
  f.path.offer(200);
  f.path.run();
  const Delays times = f.path.times_of(5);
  ASSERT_EQ(times.size(), 4u);
  EXPECT_EQ(times[1], 109 * ms);
  // The next packet sent after the retransmission is acknowledged a round trip later; so is the one after.
  EXPECT_NEAR(static_cast<double>(times[2] - times[1]), 102e6, 5e6);
  EXPECT_NEAR(static_cast<double>(times[3] - times[2]), 102e6, 5e6);
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  EXPECT_EQ(f.control->events.size(), 1u);
  expect_all_delivered(f.path, 200);
}

TEST(Sender, ProbesForALostTail) {  // RFC 8985, section 3.4's first example
  Fixture f;
  f.path.fate = losing({{17, 1}, {18, 1}, {19, 1}});
  f.path.offer(20);
  f.path.run();
  // ACKs of 0 to 16 come 101 to 117 ms after; the smoothed round trip is then some 100 ms, and the probe leaves two
  // of them later: the last packet. Its ACK shows that 17 and 18 are lost.
  const Delays probe = f.path.times_of(19);
  ASSERT_EQ(probe.size(), 2u);
  EXPECT_GT(probe[1], 117 * ms + 202 * ms);
  EXPECT_LT(probe[1], 117 * ms + 234 * ms);
  EXPECT_EQ(f.path.times_of(17), (Delays{0, probe[1] + 101 * ms}));
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  EXPECT_EQ(f.control->events.size(), 1u);
  expect_all_delivered(f.path, 20);
}

TEST(Sender, CountsALossThatAProbeRepairsOnItsOwn) {
  Fixture f;
  f.path.fate = losing({{19, 1}});
  f.path.offer(20);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  EXPECT_EQ(f.control->events.size(), 0u);  // an ACK beyond the probe would tell, and nothing more is sent
  f.path.offer(25);
  f.path.run();
  EXPECT_EQ(f.control->events.size(), 1u);  // RFC 8985, section 7.4.2
  expect_all_delivered(f.path, 25);
}

TEST(Sender, DoesNotPayForANeedlessProbe) {
  Fixture f;
  // The timeout is some 300 ms: the probe leaves then, since a receiver may hold the ACK of a single packet back.
  f.path.fate = [](std::int64_t sequence, int copy) {
    return sequence == 19 && copy == 1 ? Delays{350 * ms} : Delays{0};
  };
  f.path.offer(20);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  f.path.offer(30);
  f.path.run();
  EXPECT_EQ(f.control->events.size(), 0u);
  expect_all_delivered(f.path, 30);
}

TEST(Sender, ProbesNoMoreBeforeARoundTripIsMeasured) {  // RFC 8985, section 7.3, condition 2
  SenderOptions options = no_handshake();
  options.timestamps = false;
  Fixture f(20.0, {}, options);
  f.path.echoes = false;
  // A needless probe of packet 19, which both copies answer: neither tells the round-trip time. Then 20 is lost.
  f.path.fate = [](std::int64_t sequence, int copy) {
    if (sequence == 20 && copy == 1) return Delays{};
    return sequence == 19 && copy == 1 ? Delays{350 * ms} : Delays{0};
  };
  f.path.offer(20);
  f.path.run();
  f.path.offer(21);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  EXPECT_EQ(f.path.sender.counters().timeouts, 1);
  expect_all_delivered(f.path, 21);
}

TEST(Sender, RecoversWhenAWholeWindowIsLost) {
  Fixture f;
  f.path.fate = [](std::int64_t sequence, int copy) {
    return sequence >= 20 && sequence < 40 && copy == 1 ? Delays{} : Delays{0};
  };
  f.path.offer(100);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);  // the probe's ACK tells of the others
  EXPECT_EQ(f.path.sender.counters().probes, 1);
  expect_all_delivered(f.path, 100);
}

TEST(Sender, DoesNotTimeOutBehindAQueueThatHasGrown) {
  // Reno in slow start, and a queue without end: while the ACKs of packets that are sent in one round trip come back,
  // twice as many are sent. Packet 1000 goes out again behind that, and its ACK takes twice the round-trip time
  // that was measured when it went, and more than the timeout.
  Path path({}, {});
  path.fate = losing({{1000, 1}});
  path.offer(4000);
  path.run();
  ASSERT_EQ(path.times_of(1000).size(), 2u);
  EXPECT_EQ(path.sender.counters().timeouts, 0);
  expect_all_delivered(path, 4000);
}

TEST(Sender, TimesOutAfterTheLastReportOfWhatWasSentBefore) {
  // Packet 0 of ten is lost twice, the receiver's window lets no other one out. The timer runs from the ACK of packet
  // 9 at 110 ms, the last one that was sent before the retransmission at 104 ms.
  SenderOptions options = no_handshake();
  options.receiver_window = 10;
  Fixture fixture(20.0, {}, options);
  fixture.path.fate = losing({{0, 1}, {0, 2}});
  fixture.path.offer(10);
  fixture.path.run(110 * ms);
  EXPECT_EQ(fixture.path.times_of(0), (Delays{0, 104 * ms}));
  const Nanoseconds rto_ns = fixture.path.sender.rtt().rto_ns();
  fixture.path.run();
  EXPECT_EQ(fixture.path.times_of(0), (Delays{0, 104 * ms, 110 * ms + rto_ns}));
  expect_all_delivered(fixture.path, 10);
}

TEST(Sender, DoublesTheTimeoutWhileNothingComesBack) {
  Fixture f;
  f.path.fate = [](std::int64_t sequence, int copy) {
    const int lost = sequence == 20 ? 3 : sequence == 39 ? 2 : sequence > 20 ? 1 : 0;
    return copy <= lost ? Delays{} : Delays{0};
  };
  f.path.offer(40);
  f.path.run();
  const Delays times = f.path.times_of(20);
  ASSERT_EQ(times.size(), 4u);
  EXPECT_EQ(times[3] - times[2], 2 * (times[2] - times[1]));
  EXPECT_EQ(f.path.sender.counters().timeouts, 3);
  EXPECT_EQ(f.control->timeouts.size(), 3u);
  EXPECT_FALSE(f.control->timeouts[0].is_repeated);
  EXPECT_TRUE(f.control->timeouts[1].is_repeated);
  expect_all_delivered(f.path, 40);
}

TEST(Sender, WaitsForPacketsThatOvertakeEachOtherOnceItKnows) {
  Fixture f(40.0);
  // Every tenth packet is delayed by 15 ms, which fifteen others overtake; a quarter of a round trip is 25 ms.
  f.path.fate = [](std::int64_t sequence, int) { return sequence % 10 == 0 ? Delays{15 * ms} : Delays{0}; };
  f.path.offer(2000);
  f.path.run();
  EXPECT_LE(f.control->events.size(), 1u);  // until the first one arrives late
  EXPECT_EQ(f.control->undone, static_cast<int>(f.control->events.size()));
  EXPECT_LE(f.path.sender.counters().retransmissions, 4);
  EXPECT_TRUE(f.path.sender.rack().reordering_seen());
  expect_all_delivered(f.path, 2000);
}

TEST(Sender, WidensTheReorderingWindowWhenDsacksTell) {
  Fixture f(100.0);
  // 60 ms: more than two quarters of a round trip.
  f.path.fate = [](std::int64_t sequence, int) { return sequence % 50 == 0 ? Delays{60 * ms} : Delays{0}; };
  f.path.offer(20000);
  f.path.run();
  EXPECT_GE(f.path.sender.rack().window_multiple(), 3);
  EXPECT_LE(f.path.sender.counters().recoveries, 20);  // of 400 delayed packets
  EXPECT_EQ(f.path.sender.counters().timeouts, 0);
  expect_all_delivered(f.path, 20000);
}

TEST(Sender, TakesAReductionBackWhenTheTimestampTells) {
  Fixture f;
  f.path.dsacks = false;
  f.path.fate = [](std::int64_t sequence, int) { return sequence == 5 ? Delays{20 * ms} : Delays{0}; };
  f.path.offer(100);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().retransmissions, 1);
  EXPECT_EQ(f.control->undone, 1);
  EXPECT_EQ(f.control->cwnd(), 20.0);
  expect_all_delivered(f.path, 100);
}

TEST(Sender, TakesAReductionBackWhenDsacksTell) {
  SenderOptions options = no_handshake();
  options.timestamps = false;
  Fixture f(20.0, {}, options);
  f.path.echoes = false;
  f.path.fate = [](std::int64_t sequence, int) { return sequence == 5 ? Delays{20 * ms} : Delays{0}; };
  f.path.offer(100);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().retransmissions, 1);
  EXPECT_EQ(f.control->undone, 1);
  expect_all_delivered(f.path, 100);
}

// RFC 5682: for one second nothing leaves the path, then all does; nothing is lost.
void expect_spurious_timeout_undone(bool timestamps) {
  SenderOptions options = no_handshake();
  options.timestamps = timestamps;
  Fixture f(20.0, {}, options);
  f.path.echoes = timestamps;
  f.path.fate = [&](std::int64_t, int) {
    const bool is_held = f.path.now_ns >= 200 * ms && f.path.now_ns < 1200 * ms;
    return is_held ? Delays{1200 * ms - f.path.now_ns} : Delays{0};
  };
  f.path.offer(200);
  f.path.run();
  EXPECT_GE(f.path.sender.counters().timeouts, 1);
  EXPECT_EQ(f.control->undone, 1);
  EXPECT_LE(f.path.sender.counters().retransmissions, 3);  // the probe and the head
  expect_all_delivered(f.path, 200);
}

TEST(Sender, TakesATimeoutBackByItsTimestamp) { expect_spurious_timeout_undone(true); }
TEST(Sender, TakesATimeoutBackByForwardRto) { expect_spurious_timeout_undone(false); }

TEST(Sender, DoesNotTakeATimeoutBackWhenAllAcksWereLost) {  // RFC 3708, section 3, (A.1)
  SenderOptions options = no_handshake();
  options.timestamps = false;
  Fixture f(20.0, {}, options);
  f.path.echoes = false;
  f.path.ack_fate = [&] { return f.path.sender.counters().timeouts == 0 ? Delays{} : Delays{0}; };
  f.path.offer(20);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().timeouts, 1);
  EXPECT_EQ(f.path.receiver.duplicates(), 1);  // its report is the first ACK
  EXPECT_EQ(f.control->undone, 0);
  expect_all_delivered(f.path, 20);
}

TEST(Sender, SendsNoNewDataAfterATimeoutInTheRecoveryFromAnother) {  // RFC 5682, section 3.1, step 1
  Fixture f;
  f.path.fate = [](std::int64_t sequence, int copy) {
    const bool is_lost = sequence < 20 && (copy == 1 || (copy == 2 && sequence == 1));
    return is_lost ? Delays{} : Delays{0};
  };
  f.path.offer(20);
  while (f.path.sender.una() == 0) f.path.run(f.path.now_ns + 1 * ms);
  f.path.offer(30);
  f.path.run();
  EXPECT_EQ(f.path.sender.counters().timeouts, 2);
  EXPECT_GT(f.path.times_of(20).at(0), f.path.times_of(2).at(1));
  expect_all_delivered(f.path, 30);
}

TEST(Sender, ObeysTheReceiversWindow) {
  SenderOptions options = no_handshake();
  options.receiver_window = 8;
  Fixture f(100.0, {}, options);
  f.path.fate = losing({{3, 1}, {17, 1}});
  f.path.offer(100);
  f.path.run(never, [&] { ASSERT_LE(f.path.sender.next() - f.path.sender.una(), 8); });
  expect_all_delivered(f.path, 100);
}

TEST(Sender, SpreadsPacketsAtThePacingRate) {
  auto control = std::make_unique<FixedWindow>(100.0, 250.0);  // a packet every 4 ms
  Path path({}, no_handshake(), std::move(control));
  path.offer(50);
  path.run();
  for (std::size_t i = 1; i < path.sent.size(); ++i) {
    EXPECT_EQ(path.sent[i].time_ns - path.sent[i - 1].time_ns, 4 * ms) << i;
  }
  expect_all_delivered(path, 50);
}

TEST(Sender, MeasuresTheBottlenecksRate) {
  Fixture f(300.0);  // a full pipe and a queue
  f.path.offer(3000);
  f.path.run();
  const AckSample& ack = f.control->acks[2000];
  EXPECT_NEAR(ack.rate.delivery_rate, 1000.0, 5.0);  // a packet a millisecond
  EXPECT_FALSE(ack.rate.is_app_limited);
  EXPECT_TRUE(ack.is_cwnd_limited);
  EXPECT_TRUE(f.control->acks.back().rate.is_app_limited || f.control->acks.back().is_app_limited);
}

TEST(Sender, TellsOfAPause) {
  Fixture f;
  f.path.offer(10);
  f.path.run();
  f.path.run(5000 * ms);
  f.path.offer(20);
  ASSERT_EQ(f.control->idle.size(), 1u);
  EXPECT_EQ(f.control->idle[0], 5000 * ms);
  f.path.run();
  expect_all_delivered(f.path, 20);
}

TEST(Sender, TakesNoLostAckForReordering) {
  Fixture f;
  int acks = 0;
  f.path.fate = losing({{5, 1}, {10, 1}});
  f.path.ack_fate = [&] { return ++acks == 7 || acks == 10 || acks == 11 ? Delays{} : Delays{0}; };
  f.path.offer(60);
  f.path.run();
  EXPECT_FALSE(f.path.sender.rack().reordering_seen());
  EXPECT_EQ(f.path.sender.counters().retransmissions, 2);
  expect_all_delivered(f.path, 60);
}

TEST(Sender, IgnoresAcksOfWhatWasNotSent) {
  Fixture f;
  f.path.offer(10);
  Acknowledgement ack;
  ack.now_ns = 1;
  ack.ack = 11;
  f.path.sender.on_ack(ack);
  EXPECT_EQ(f.path.sender.una(), 0);
  ack.ack = 0;
  ack.blocks = {{20, 30}};
  f.path.sender.on_ack(ack);
  EXPECT_EQ(f.path.sender.scoreboard().sacked(), 0);
  f.path.run();
  expect_all_delivered(f.path, 10);
}

// ---- a soak: whatever the path does, every packet arrives, the books balance, and nothing stalls

struct Weather {
  double loss, ack_loss, delay, duplicate;
  Nanoseconds most_delay_ns;
};

void soak(std::uint64_t seed, const Weather& weather, std::int64_t window, std::int64_t packets) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", window " + std::to_string(window));
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  SenderOptions options;
  options.receiver_window = window;
  options.timestamps = seed % 2 == 0;
  PathOptions path_options;
  path_options.queue_packets = 1 + static_cast<std::int64_t>(random() % 200);
  const std::vector<std::string> controls = congestion_control_names();
  const std::string control = controls[seed % controls.size()];
  SCOPED_TRACE(control);
  ControlParameters parameters;
  parameters.uniform = uniform;
  Path path(path_options, options, make_congestion_control(control, parameters));
  path.echoes = options.timestamps;
  const auto some_delays = [&](double loss) {
    if (uniform() < loss) return Delays{};
    Delays delays{uniform() < weather.delay
                      ? static_cast<Nanoseconds>(uniform() * static_cast<double>(weather.most_delay_ns))
                      : 0};
    if (uniform() < weather.duplicate) delays.push_back(static_cast<Nanoseconds>(uniform() * 1e8));
    return delays;
  };
  path.fate = [&](std::int64_t, int) { return some_delays(weather.loss); };
  path.ack_fate = [&] { return some_delays(weather.ack_loss); };
  path.offer(packets);
  Nanoseconds progress_ns = 0;
  std::int64_t una = 0;
  int checks = 0;
  path.run(never, [&] {
    const Sender& sender = path.sender;
    if (sender.una() > una) {
      una = sender.una();
      progress_ns = path.now_ns;
    }
    // Back-off may take minutes when most packets are lost, but never forever.
    ASSERT_LT(path.now_ns - progress_ns, 1'000'000 * ms);
    ASSERT_LE(sender.next() - sender.una(), window);
    ASSERT_LE(sender.una(), path.receiver.next());
    ASSERT_GE(sender.in_flight(), 0);
    ASSERT_GE(sender.cwnd(), 0.0);
    ASSERT_TRUE(sender.una() >= packets || sender.next_deadline_ns() != never);
    if (++checks % 97 != 0 || sender.scoreboard().is_empty()) return;
    std::int64_t in_flight = 0, sacked = 0, lost = 0;
    for (std::int64_t i = sender.una(); i < sender.next(); ++i) {
      const SentPacket& packet = sender.scoreboard().at(i);
      in_flight += packet.is_in_flight;
      sacked += packet.is_sacked;
      lost += packet.is_lost;
      ASSERT_FALSE(packet.is_sacked && (packet.is_in_flight || packet.is_lost));
    }
    ASSERT_EQ(in_flight, sender.in_flight());
    ASSERT_EQ(sacked, sender.scoreboard().sacked());
    ASSERT_EQ(lost, sender.scoreboard().lost());
  });
  expect_all_delivered(path, packets);
  EXPECT_EQ(path.sender.next_deadline_ns(), never);
}

TEST(SenderSoak, DeliversEverything) {
  const Weather weathers[] = {
      {0, 0, 0, 0, 0},
      {0.01, 0, 0, 0, 0},
      {0.1, 0.1, 0, 0, 0},
      {0.3, 0.2, 0, 0, 0},
      {0, 0, 0.2, 0, 40 * ms},
      {0.01, 0, 0.1, 0.01, 400 * ms},
      {0.05, 0.3, 0.5, 0.05, 2000 * ms},
  };
  // `make soak` asks for more than the tests.
  const char* const rounds = std::getenv("CLIFT_SOAK_ROUNDS");
  const int repeats = rounds == nullptr ? 2 : std::atoi(rounds);
  std::uint64_t seed = 1;
  for (const Weather& weather : weathers) {
    for (const std::int64_t window : {1, 2, 3, 10, 60, 600, 20'000}) {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        soak(seed++, weather, window, window < 10 ? 200 : 3000);
        ASSERT_FALSE(testing::Test::HasFailure());
      }
    }
  }
}

}  // namespace
}  // namespace clift::tcp
