// `Agent/TCP/Modern`: a sender with the recovery of present-day stacks, between an application and Agent/TCPSink/Modern.
// It binds ns-2's packets, timers and traced variables to core/tcp, which makes all decisions.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent.h"
#include "random.h"
#include "tcp-full.h"
#include "tcp.h"

#include "core/tcp/sender.h"
#include "ecn_bits.h"
#include "failure.h"
#include "named_class.h"
#include "sender_agent.h"
#include "sim_time.h"
#include "window_header.h"

namespace clift {

namespace {

class ModernTcp : public SenderAgent {
 public:
  ModernTcp() : SenderAgent("Agent/TCP/Modern") { bind_bool("pushes_", &pushes_); }

  void recv(Packet* packet, Handler* handler) override;
  int command(int argc, const char* const* argv) override;

 private:
  void start();
  void transmit(std::int64_t sequence, bool is_retransmission);
  void offer() override;
  Nanoseconds next_deadline_ns() const override { return sender_->next_deadline_ns(); }
  void on_deadline() override { sender_->on_timer(now_ns()); }
  void show() override;
  std::int64_t offered() { return static_cast<int>(curseq_) + (syn_ ? 1 : 0); }

  void choose_ecn(const std::string& name);
  void check_ecn(const tcp::SenderOptions& options, const tcp::CongestionControl& control) const;
  void choose_slow_start(const std::string& name);
  void resume(const char* const* words);

  std::string control_ = "reno";
  bool accurate_ecn_ = false;  // AccECN; ns-2's ecn_ is RFC 3168
  std::optional<tcp::SlowStart> slow_start_;
  std::optional<tcp::SavedPath> saved_;
  std::unique_ptr<tcp::Sender> sender_;  // from the first packet on
  tcp::Acknowledgement ack_;             // reused, to save allocations
  int pushes_;                           // whether the application's last packet is pushed
};

int ModernTcp::command(int argc, const char* const* argv) {
  if (argc == 3 && std::strcmp(argv[1], "congestion_control") == 0) {
    if (tcp::make_congestion_control(argv[2], {}) == nullptr) {
      std::string line = std::string("Agent/TCP/Modern: ") + argv[2] + " is not a congestion control; allowed are";
      for (const std::string& name : tcp::congestion_control_names()) line += " " + name;
      fail(line);
    }
    control_ = argv[2];
    return TCL_OK;
  }
  if (argc == 3 && std::strcmp(argv[1], "ecn") == 0) {
    choose_ecn(argv[2]);
    return TCL_OK;
  }
  if (argc == 3 && std::strcmp(argv[1], "slow_start") == 0) {
    choose_slow_start(argv[2]);
    return TCL_OK;
  }
  if (argc == 5 && std::strcmp(argv[1], "resume") == 0) {
    resume(argv + 2);
    return TCL_OK;
  }
  return TcpAgent::command(argc, argv);
}

void ModernTcp::choose_ecn(const std::string& name) {
  if (name != "off" && name != "classic" && name != "accurate") {
    refuse("Agent/TCP/Modern: ecn", name, "off, classic or accurate");
  }
  ecn_ = name == "classic";
  accurate_ecn_ = name == "accurate";
}

// The control is chosen before.
void ModernTcp::choose_slow_start(const std::string& name) {
  static const std::map<std::string, tcp::SlowStart> all = {
      {"standard", tcp::SlowStart::standard}, {"hystart", tcp::SlowStart::hystart}, {"search", tcp::SlowStart::search}};
  const auto found = all.find(name);
  if (found == all.end()) refuse("Agent/TCP/Modern: slow_start", name, "standard, hystart or search");
  if (!tcp::has_choice_of_slow_start(control_)) {
    fail("Agent/TCP/Modern: slow_start has no meaning for the congestion control " + control_);
  }
  slow_start_ = found->second;
}

// The saved window in packets, the saved RTT, and the time from which they may not be used, in seconds.
void ModernTcp::resume(const char* const* words) {
  double numbers[3];
  static const char* const names[] = {"saved window", "saved RTT", "end of their lifetime"};
  for (int i = 0; i < 3; ++i) {
    numbers[i] = std::strtod(words[i], nullptr);
    if (!lies_within(numbers[i], 1e-9, 4e9)) {
      refuse(std::string("Agent/TCP/Modern: resume: the ") + names[i], words[i], "a number of more than 0");
    }
  }
  if (!tcp::can_resume(control_)) {
    fail("Agent/TCP/Modern: resume has no meaning for the congestion control " + control_);
  }
  saved_ = tcp::SavedPath{numbers[0], to_ns(numbers[1]), to_ns(numbers[2])};
}

void ModernTcp::start() {
  tcp::ControlParameters parameters;
  parameters.packet_bytes = size_ + headersize();
  parameters.uniform = [] { return Random::uniform(); };
  parameters.slow_start = slow_start_;
  parameters.saved = saved_;
  tcp::SenderOptions options;
  options.receiver_window = std::max<std::int64_t>(1, std::llround(wnd_));
  parameters.window_clamp = options.receiver_window;
  options.handshake = syn_ != 0;
  options.timestamps = ts_option_ != 0;
  options.ecn = ecn_ == 0 ? accurate_ecn_ ? tcp::EcnMode::accurate : tcp::EcnMode::off : tcp::EcnMode::classic;
  const auto send = [this](std::int64_t sequence, bool again) { transmit(sequence, again); };
  auto control = tcp::make_congestion_control(control_, parameters);
  check_ecn(options, *control);
  sender_ = std::make_unique<tcp::Sender>(options, std::move(control), send);
}

void ModernTcp::check_ecn(const tcp::SenderOptions& options, const tcp::CongestionControl& control) const {
  const bool is_accurate = options.ecn == tcp::EcnMode::accurate;
  if (options.ecn != tcp::EcnMode::off && !control.answers_marks()) {
    fail("Agent/TCP/Modern: " + control_ + " does not answer marks of ECN");
  }
  if (control.needs_accurate_ecn() && !is_accurate) fail("Agent/TCP/Modern: " + control_ + " needs `ecn accurate`");
  if (is_accurate && !options.handshake) fail("Agent/TCP/Modern: `ecn accurate` needs the handshake, syn_ 1");
}

void ModernTcp::offer() {
  if (sender_ == nullptr) start();
  sender_->offer(now_ns(), offered());
}

void ModernTcp::recv(Packet* packet, Handler*) {
  const hdr_tcp* header = hdr_tcp::access(packet);
  if (sender_ == nullptr) {  // no packet was sent
    Packet::free(packet);
    return;
  }
  ++nackpack_;
  ts_peer_ = header->ts_;
  ack_.now_ns = now_ns();
  ack_.ack = header->seqno_ + 1;
  ack_.echo_ns = ts_option_ ? to_ns(header->ts_echo_) : -1;
  ack_.window_end = hdr_clift_window::offset_ < 0 ? 0 : hdr_clift_window::access(packet)->end;
  ack_.ace = ace_of(packet);
  ack_.blocks.clear();
  for (int i = 0; i < header->sa_length_; ++i) {
    ack_.blocks.emplace_back(header->sack_area_[i][0], header->sack_area_[i][1]);
  }
  Packet::free(packet);
  sender_->on_ack(ack_);
  update();
  if (sender_->una() >= offered()) complete();
}

void ModernTcp::transmit(std::int64_t sequence, bool is_retransmission) {
  Packet* packet = allocpkt();
  hdr_tcp* header = hdr_tcp::access(packet);
  header->seqno_ = static_cast<int>(sequence);
  header->ts_ = ts_option_ ? Scheduler::instance().clock() : -1.0;
  header->ts_echo_ = ts_peer_;
  if (pushes_ != 0 && sequence + 1 == offered()) header->flags() |= TH_PUSH;
  header->reason_ = is_retransmission ? TCP_REASON_DUPACK : 0;
  header->last_rtt_ = static_cast<int>(sender_->rtt().srtt_ns() / 1'000'000);
  int payload_bytes = hdr_cmn::access(packet)->size();
  if (syn_ && sequence == 0) {
    payload_bytes = 0;
    hdr_cmn::access(packet)->size() = tcpip_base_hdr_size_;
  } else {
    hdr_cmn::access(packet)->size() += headersize();
  }
  set_ecn(packet, sender_->ecn_flags(sequence, is_retransmission));
  ++ndatapack_;
  ndatabytes_ = ndatabytes_ + payload_bytes;
  if (is_retransmission) {
    ++nrexmitpack_;
    nrexmitbytes_ = nrexmitbytes_ + payload_bytes;
  }
  send(packet, nullptr);
}

// The numbers of Linux's enum tcp_ca_state; 2 would be a reduction without loss.
int linux_state(tcp::RecoveryState state) {
  switch (state) {
    case tcp::RecoveryState::open:
      return 0;
    case tcp::RecoveryState::disorder:
      return 1;
    case tcp::RecoveryState::recovery:
      return 3;
    case tcp::RecoveryState::loss:
      return 4;
  }
  return 0;
}

void ModernTcp::show() {
  const tcp::Sender& sender = *sender_;
  cwnd_ = sender.cwnd();
  ssthresh_ = static_cast<int>(sender.ssthresh());
  srtt_s_ = to_seconds(sender.rtt().srtt_ns());
  ca_state_ = linux_state(sender.state());
  pacing_bps_ = sender.pacing_rate() * 8.0 * size_;
  highest_ack_ = static_cast<int>(sender.una()) - 1;
  t_seqno_ = static_cast<int>(sender.next());
  maxseq_ = static_cast<int>(sender.next()) - 1;
  nrexmit_ = static_cast<int>(sender.counters().timeouts);
  const double ticks_per_ns = 1e-9 / tcp_tick_;
  t_srtt_ = static_cast<int>(static_cast<double>(sender.rtt().srtt_ns() << T_SRTT_BITS) * ticks_per_ns);
  t_rttvar_ = static_cast<int>(static_cast<double>(sender.rtt().rttvar_ns() << T_RTTVAR_BITS) * ticks_per_ns);
  t_backoff_ = 1 << std::min(sender.rtt().backoffs(), 30);
}

NamedClass<ModernTcp> modern_tcp_class("Agent/TCP/Modern");

}  // namespace

}  // namespace clift
