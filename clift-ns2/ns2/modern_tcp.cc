// `Agent/TCP/Modern`: a sender with the recovery of present-day stacks, between an application and Agent/TCPSink/Modern.
// It binds ns-2's packets, timers and traced variables to core/tcp, where everything is decided.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "agent.h"
#include "flags.h"
#include "ip.h"
#include "random.h"
#include "tcp.h"
#include "timer-handler.h"

#include "core/tcp/sender.h"
#include "failure.h"
#include "sim_time.h"

namespace clift {

namespace {

class ModernTcp : public TcpAgent {
 public:
  ModernTcp() : timer_(this) {
    bind("srtt_s_", &srtt_s_);
    bind("ca_state_", &ca_state_);
  }

  void recv(Packet* packet, Handler* handler) override;
  int command(int argc, const char* const* argv) override;

  // Whatever the application asks for ends here: curseq_ packets are to be sent.
  void send_much(int force, int reason, int burst) override;
  void timeout(int) override {}

 private:
  class Timer : public TimerHandler {
   public:
    explicit Timer(ModernTcp* agent) : agent_(agent) {}
    void expire(Event*) override { agent_->on_timer(); }

   private:
    ModernTcp* agent_;
  };

  void start();
  void on_timer();
  void transmit(std::int64_t sequence, bool is_retransmission);
  void show();
  void arm();
  std::int64_t offered() { return static_cast<int>(curseq_) + (syn_ ? 1 : 0); }

  std::string control_ = "reno";
  std::unique_ptr<tcp::Sender> sender_;  // from the first packet on
  tcp::Acknowledgement ack_;             // kept for its memory
  TracedDouble srtt_s_;                  // for tracers, as Agent/TCP/Linux has them
  TracedInt ca_state_;
  Timer timer_;
  Nanoseconds armed_ns_ = never;         // when timer_ will expire; never: it is not set
};

int ModernTcp::command(int argc, const char* const* argv) {
  if (argc == 3 && std::strcmp(argv[1], "congestion_control") == 0) {
    if (tcp::make_congestion_control(argv[2], {}) == nullptr) {
      std::string line = std::string("Agent/TCP/Modern: ") + argv[2] + " is no congestion control; there are";
      for (const std::string& name : tcp::congestion_control_names()) line += " " + name;
      fail(line);
    }
    control_ = argv[2];
    return TCL_OK;
  }
  return TcpAgent::command(argc, argv);
}

void ModernTcp::start() {
  tcp::ControlParameters parameters;
  parameters.packet_bytes = size_ + headersize();
  parameters.uniform = [] { return Random::uniform(); };
  tcp::SenderOptions options;
  options.receiver_window = std::max<std::int64_t>(1, std::llround(wnd_));
  options.handshake = syn_ != 0;
  options.timestamps = ts_option_ != 0;
  const auto send = [this](std::int64_t sequence, bool again) { transmit(sequence, again); };
  sender_ = std::make_unique<tcp::Sender>(options, tcp::make_congestion_control(control_, parameters), send);
}

void ModernTcp::send_much(int, int, int) {
  if (sender_ == nullptr) start();
  sender_->offer(now_ns(), offered());
  show();
  arm();
}

void ModernTcp::recv(Packet* packet, Handler*) {
  const hdr_tcp* header = hdr_tcp::access(packet);
  if (sender_ == nullptr) {  // nothing was sent that could be acknowledged
    Packet::free(packet);
    return;
  }
  ++nackpack_;
  ts_peer_ = header->ts_;
  ack_.now_ns = now_ns();
  ack_.ack = header->seqno_ + 1;
  ack_.echo_ns = ts_option_ ? to_ns(header->ts_echo_) : -1;
  ack_.blocks.clear();
  for (int i = 0; i < header->sa_length_; ++i) {
    ack_.blocks.emplace_back(header->sack_area_[i][0], header->sack_area_[i][1]);
  }
  Packet::free(packet);
  sender_->on_ack(ack_);
  show();
  arm();
  if (sender_->una() >= offered() && !closed_) {
    closed_ = 1;
    finish();
  }
}

void ModernTcp::on_timer() {
  armed_ns_ = never;
  if (sender_->next_deadline_ns() <= now_ns()) {
    sender_->on_timer(now_ns());
    show();
  }
  arm();
}

// A timer that is set too early is left alone and set again when it expires: most deadlines only move away.
void ModernTcp::arm() {
  const Nanoseconds deadline_ns = sender_->next_deadline_ns();
  if (deadline_ns >= armed_ns_) return;
  armed_ns_ = deadline_ns;
  timer_.resched(std::fmax(0.0, to_seconds(deadline_ns) - Scheduler::instance().clock()));
}

void ModernTcp::transmit(std::int64_t sequence, bool is_retransmission) {
  Packet* packet = allocpkt();
  hdr_tcp* header = hdr_tcp::access(packet);
  header->seqno_ = static_cast<int>(sequence);
  header->ts_ = Scheduler::instance().clock();
  header->ts_echo_ = ts_peer_;
  header->reason_ = is_retransmission ? TCP_REASON_DUPACK : 0;
  header->last_rtt_ = static_cast<int>(sender_->rtt().srtt_ns() / 1'000'000);
  int payload_bytes = hdr_cmn::access(packet)->size();
  if (syn_ && sequence == 0) {
    payload_bytes = 0;
    hdr_cmn::access(packet)->size() = tcpip_base_hdr_size_;
  } else {
    hdr_cmn::access(packet)->size() += headersize();
  }
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

// Brings ns-2's traced variables up to date.
void ModernTcp::show() {
  const tcp::Sender& sender = *sender_;
  cwnd_ = sender.cwnd();
  ssthresh_ = static_cast<int>(sender.ssthresh());
  srtt_s_ = to_seconds(sender.rtt().srtt_ns());
  ca_state_ = linux_state(sender.state());
  highest_ack_ = static_cast<int>(sender.una()) - 1;
  t_seqno_ = static_cast<int>(sender.next());
  maxseq_ = static_cast<int>(sender.next()) - 1;
  nrexmit_ = static_cast<int>(sender.counters().timeouts);
  const double ticks_per_ns = 1e-9 / tcp_tick_;
  t_srtt_ = static_cast<int>(static_cast<double>(sender.rtt().srtt_ns() << T_SRTT_BITS) * ticks_per_ns);
  t_rttvar_ = static_cast<int>(static_cast<double>(sender.rtt().rttvar_ns() << T_RTTVAR_BITS) * ticks_per_ns);
  t_backoff_ = 1 << std::min(sender.rtt().backoffs(), 30);
}

class ModernTcpClass : public TclClass {
 public:
  ModernTcpClass() : TclClass("Agent/TCP/Modern") {}
  TclObject* create(int, const char* const*) override { return new ModernTcp; }
} modern_tcp_class;

}  // namespace

}  // namespace clift
